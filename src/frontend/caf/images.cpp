#include "frontend/caf/images.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "base/ticks.h"
#include "frontend/caf/interception.h"
#include "order/keys.h"

CAF_ENTRY MPI_Fint _gfortran_caf_get_communicator(void** team);

namespace photofinish::caf {
namespace {

constexpr std::uint64_t kImages = 4;     // a number of this set of ranks
constexpr std::uint64_t kStopWait = 10;  // seconds
constexpr int kExpectsStopped = 1;       // a tag

MPI_Comm g_end{};  // for the end of the program; no constant: programs without MPI load this, too
int* g_numbers = nullptr;  // of the images of a team

// The library tells the communicator of the team that was formed last, not of the current one. So
// these are stored, without an allocation: also for images on which the tool has failed.
struct FormedTeam {
  const void* handle;
  MPI_Comm communicator;
};
constexpr std::size_t kMostTeams = 1024, kMostNested = 64;
FormedTeam g_formed[kMostTeams];  // the last ones
std::size_t g_formed_count = 0;
MPI_Comm g_entered[kMostNested];
std::size_t g_depth = 0;

MPI_Comm last_formed() {
  const MPI_Fint handle = CAF_REAL(get_communicator)(nullptr);
#if defined(OPEN_MPI)
  return REAL(PMPI_Comm_f2c)(handle);
#else
  return static_cast<MPI_Comm>(handle);
#endif
}

void pause_shortly() {
  const timespec pause{0, 200'000};
  nanosleep(&pause, nullptr);
}

bool is_done(MPI_Request& request) {
  int done = 0;
  REAL(PMPI_Test)(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

// Whether some image has called expect_stopped().
bool some_image_expects_stopped() {
  bool any = false;
  for (;;) {
    int is_there = 0;
    MPI_Status status;
    REAL(PMPI_Iprobe)(MPI_ANY_SOURCE, kExpectsStopped, g_end, &is_there, &status);
    if (is_there == 0) return any;
    REAL(PMPI_Recv)
    (nullptr, 0, MPI_BYTE, status.MPI_SOURCE, kExpectsStopped, g_end, MPI_STATUS_IGNORE);
    any = true;
  }
}

std::uint64_t seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec);
}

}  // namespace

Images& Images::get() {
  static auto* const images = new Images;
  return *images;
}

void Images::prepare() noexcept {
  int size = 1;
  REAL(PMPI_Comm_size)(MPI_COMM_WORLD, &size);
  REAL(PMPI_Comm_dup)(MPI_COMM_WORLD, &g_end);
  // Mapped, since our own memory may be exhausted.
  void* const numbers = mmap(nullptr, static_cast<std::size_t>(size) * sizeof(int),
                             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_numbers = static_cast<int*>(numbers);
  g_entered[0] = last_formed();  // of all images
}

void Images::start() {
  int size = 1, rank = 0;
  REAL(PMPI_Comm_size)(MPI_COMM_WORLD, &size);
  REAL(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  self_ = WorldRank(rank);
  initial_ = new Team;
  initial_->identity = kImages;
  for (int i = 0; i < size; ++i) initial_->images.emplace_back(i);
  initial_->set = mpi::Objects::get().rank_set(initial_->images, kImages, "all images");
  entered_.push_back(initial_);
}

Team* Images::find(const void* handle) {
  const auto found = teams_.find(handle);
  return found != teams_.end() ? found->second : nullptr;
}

MPI_Comm Images::communicator() { return g_entered[std::min(g_depth, kMostNested - 1)]; }

void Images::note_formed(const void* handle) noexcept {
  g_formed[g_formed_count++ % kMostTeams] = {handle, last_formed()};
}

// The library may use the address of a team again: the last one counts.
void Images::note_entered(const void* handle) noexcept {
  if (++g_depth >= kMostNested) return;
  g_entered[g_depth] = g_entered[g_depth - 1];
  for (std::size_t i = g_formed_count; i > 0 && g_formed_count - i < kMostTeams; --i)
    if (const FormedTeam& one = g_formed[(i - 1) % kMostTeams]; one.handle == handle) {
      g_entered[g_depth] = one.communicator;
      return;
    }
}

void Images::note_left() noexcept {
  if (g_depth > 0) --g_depth;
}

void Images::gather_numbers(int number) noexcept {
  REAL(PMPI_Allgather)(&number, 1, MPI_INT, g_numbers, 1, MPI_INT, communicator());
}

void Images::formed(const void* handle, int number) {
  Team& parent = current();
  // The library may use the address of a team again.
  auto* const team = new Team;
  team->identity = edge_key(Channel::Collective, parent.identity, ++parent.formed, number);
  for (std::size_t i = 0; i < parent.images.size(); ++i)
    if (g_numbers[i] == number) team->images.push_back(parent.images[i]);
  team->set = mpi::Objects::get().rank_set(team->images, team->identity, "team");
  teams_[handle] = team;
}

void Images::expect_stopped() noexcept {
  static bool is_known = false;
  if (std::exchange(is_known, true)) return;
  int size = 1, self = 0;
  REAL(PMPI_Comm_size)(g_end, &size);
  REAL(PMPI_Comm_rank)(g_end, &self);
  for (int other = 0; other < size; ++other) {
    if (other == self) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    REAL(PMPI_Isend)(nullptr, 0, MPI_BYTE, other, kExpectsStopped, g_end, &request);
    REAL(PMPI_Request_free)(&request);
  }
}

// An image that ends its wait may do so just when the last other one arrives. So the images vote:
// each votes when it has met all others, or when its limit is over.
bool Images::meet_at_end(bool is_stop) noexcept {
  MPI_Request all = MPI_REQUEST_NULL, vote = MPI_REQUEST_NULL;
  static int gave_up = 0, any_gave_up = 0;  // MPI may access them until it ends
  REAL(PMPI_Ibarrier)(g_end, &all);
  bool has_limit = is_stop;
  std::uint64_t begun = seconds_now();
  while (!is_done(all)) {
    if (some_image_expects_stopped() && !std::exchange(has_limit, true)) begun = seconds_now();
    if (has_limit && seconds_now() - begun >= kStopWait) {
      gave_up = 1;
      break;
    }
    pause_shortly();
  }
  REAL(PMPI_Iallreduce)(&gave_up, &any_gave_up, 1, MPI_INT, MPI_MAX, g_end, &vote);
  if (gave_up != 0) return false;
  while (!is_done(vote)) pause_shortly();
  some_image_expects_stopped();
  return any_gave_up == 0;
}

}  // namespace photofinish::caf
