#include "frontend/caf/images.h"

#include <time.h>

#include "base/ticks.h"
#include "frontend/caf/interception.h"
#include "order/keys.h"

CAF_ENTRY MPI_Fint _gfortran_caf_get_communicator(void** team);

namespace photofinish::caf {
namespace {

constexpr std::uint64_t kImages = 4;  // a number of this set of ranks

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

void Images::start() {
  int size = 1, rank = 0;
  REAL(PMPI_Comm_size)(MPI_COMM_WORLD, &size);
  REAL(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  REAL(PMPI_Comm_dup)(MPI_COMM_WORLD, &end_);
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

MPI_Comm Images::communicator() const {
  const MPI_Fint handle = CAF_REAL(get_communicator)(nullptr);
#if defined(OPEN_MPI)
  return REAL(PMPI_Comm_f2c)(handle);
#else
  return static_cast<MPI_Comm>(handle);
#endif
}

Images::Formed Images::form(int number) {
  Team& parent = current();
  std::vector<int> numbers(parent.images.size());
  REAL(PMPI_Allgather)(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, communicator());
  Formed team;
  team.identity = edge_key(Channel::Collective, parent.identity, ++parent.formed, number);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] == number) team.images.push_back(parent.images[i]);
  return team;
}

void Images::formed(const void* handle, Formed formed) {
  // The library may use the address of a team again.
  auto* const team = new Team;
  team->identity = formed.identity;
  team->images = std::move(formed.images);
  team->set = mpi::Objects::get().rank_set(team->images, team->identity, "team");
  teams_[handle] = team;
}

bool Images::meet_at_end(double seconds) {
  MPI_Request all = MPI_REQUEST_NULL;
  REAL(PMPI_Ibarrier)(end_, &all);
  const std::uint64_t begun = seconds_now();
  for (int done = 0;;) {
    REAL(PMPI_Test)(&all, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    if (seconds > 0 && static_cast<double>(seconds_now() - begun) >= seconds) return false;
    const timespec pause{0, 200'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace photofinish::caf
