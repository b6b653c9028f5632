#include "frontend/mpi/online.h"

#include <sys/mman.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/ticks.h"
#include "detect/participant.h"
#include "frontend/front_ends.h"
#include "frontend/mpi/real.h"
#include "runtime/failure.h"
#include "runtime/recorder.h"
#include "runtime/tasks.h"
#include "trace/findings_file.h"

namespace photofinish::mpi {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The target distance of exchanges, in time and in pending records. The lower bounds limit
// overhead: on an oversubscribed machine each exchange costs several context switches per rank. The
// upper bounds limit the memory of pending records.
constexpr std::uint64_t kShortNs = 100'000'000, kLongNs = 400'000'000;
constexpr std::uint64_t kFew = 1 << 14, kMany = 1 << 17;
constexpr SyncPoint kMaxStride = 1 << 12;
constexpr int kTags = 1 << 14;
// One rank walks the message steps of a phase while the others wait for it. These limits keep that
// to about a second. Messages of longer phases are analyzed from the traces, after the program has
// ended. Phases with wildcard receives have a lower limit: they are walked in both directions, and
// a program that distributes work with wildcard receives may run forever without a sync point.
constexpr std::size_t kMostSteps = 1 << 20, kMostWildSteps = 1 << 16;
// Memory that the walk of a phase needs for each step, at most, in bytes.
constexpr std::size_t kStepBytes = 256;

constexpr const char* kOtherRank = "another rank stopped, and with it the analysis";

}  // namespace

struct Online::State {
  State(WorldRank rank, int size, const Definitions& definitions, const RuleOptions& rules)
      : world_size(size), participant(rank, size, definitions, meaning_of, rules) {
    for (Slot& slot : slots) {
      slot.mine.resize(kShared + static_cast<std::size_t>(size));
      slot.all.resize(slot.mine.size());
    }
  }

  const int world_size;
  Participant participant;
  MPI_Comm comm = MPI_COMM_NULL;
  std::string directory;

  SyncPoint last_sync_point = 0;
  SyncPoint next_exchange = 1;
  SyncPoint stride = 1;
  std::uint64_t number = 0;  // the last exchange that was posted, and the period that it ended
  std::uint64_t ended = 0;   // the last exchange that this rank has completed; at least number - 2
  SyncPoint until = 0;       // the sync point that ended period `number`
  std::uint64_t last_start = 0;

  // The vector that MPI_Iallreduce sums: for each of these flags the number of ranks that set it,
  // then for each rank the number of ranks that send it a batch.
  enum Shared {
    Undecided,
    Running,
    LongAgo,
    TooLongAgo,
    NotFew,
    Many,
    GivenUp,
    Failed,
    Messages,
    MessagesGivenUp,
    kShared
  };
  // The collective of a posted exchange. A rank that fails may have two of them pending.
  struct Slot {
    std::vector<int> mine, all;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  Slot slots[2];
  Slot& slot(std::uint64_t exchange) { return slots[exchange % 2]; }
  struct Sent {
    Bytes bytes;
    int to;
    MPI_Request request;
  };
  std::deque<Sent> sent;  // not known to be complete

  // Limit in bytes for access records that wait to be sent, and for received ones. Checking them
  // may take as much again.
  std::size_t memory = 0;
  // Some rank has exceeded the limit: the traces will be analyzed instead, and the findings of all
  // ranks are dropped.
  bool given_up = false;
  bool some_failed = false;       // some rank has failed: there are no further exchanges
  bool undecided = false;         // this rank has queries about the period that it checked last
  std::set<std::uint64_t> asked;  // periods that some rank has queries about
  std::map<std::uint64_t, Batches> answers;  // by period, to be sent
  bool messages = false;         // messages are analyzed; false once some rank has given up
  bool messages_before = false;  // some rank has messages in period `ended`

  void give_up();
  void give_up_messages();
  void exchange(SyncPoint sync_point);
  void begin(SyncPoint sync_point);
  void end();
  void run_to_the_end();
  // These cannot fail.
  void post() noexcept;
  void post_failed() noexcept;
  int end_collective() noexcept;
  void discard(int batches, std::uint64_t of) noexcept;
  void meet() noexcept;
  std::optional<MessageFindings> gather_messages();
  void write(const std::vector<Finding>& findings, const std::optional<MessageFindings>& messages,
             bool any);
};

constinit std::atomic<Online*> Online::instance_{nullptr};

void Online::start(const Definitions& definitions, const std::string& directory,
                   const Options& options) {
  int rank = 0, size = 0;
  REAL(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  REAL(PMPI_Comm_size)(MPI_COMM_WORLD, &size);
  Online* self = nullptr;
  guarded([&] {
    auto made = std::make_unique<Online>();
    auto state = std::make_unique<State>(
        WorldRank(rank), size, definitions,
        RuleOptions{.strict_accumulate_ops = options.strict_accumulate_ops});
    state->directory = directory;
    state->memory = (static_cast<std::size_t>(options.memory) << 20) / 2;
    state->messages = options.messages;
    state->participant.run_along(options.messages);
    reserve_findings(findings_path(directory, state->participant.rank()));
    made->state_ = state.release();  // never deleted
    self = made.release();
  });
  MPI_Comm comm = MPI_COMM_NULL;
  int works = REAL(PMPI_Comm_dup)(MPI_COMM_WORLD, &comm) == MPI_SUCCESS && self != nullptr ? 1 : 0,
      all_work = 0;
  REAL(PMPI_Allreduce)(&works, &all_work, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all_work == 0) {  // the rank that failed has reported it; the traces will be analyzed
    if (comm != MPI_COMM_NULL) REAL(PMPI_Comm_free)(&comm);
    return;
  }
  self->state_->comm = comm;
  REAL(PMPI_Comm_set_errhandler)(comm, MPI_ERRORS_RETURN);
  self->state_->last_start = clock_ns(CLOCK_MONOTONIC);
  instance_ = self;
}

void Online::add(const Event& event, std::uint64_t start, std::uint64_t end) {
  State& state = *state_;
  // In front of the event: other threads may define what its analysis would read.
  if (Tasks::active()) [[unlikely]]
    state.give_up();
  state.participant.add(event, {start, end});
  const Timeline& timeline = state.participant.timeline();
  if (state.participant.waiting_bytes() + timeline.edge_bytes() > state.memory ||
      timeline.lacks_edges()) [[unlikely]]
    state.give_up();
  if (const MessageLog* const log = state.messages ? state.participant.log() : nullptr;
      log != nullptr &&
      log->phase_steps() >
          std::min(log->phase_is_wild() ? kMostWildSteps : kMostSteps, state.memory / kStepBytes) /
              static_cast<std::size_t>(state.world_size)) [[unlikely]]
    state.give_up_messages();
  const SyncPoint sync_point = timeline.sync_points_done();
  if (sync_point == state.last_sync_point) return;
  state.last_sync_point = sync_point;
  if (sync_point >= state.next_exchange) state.exchange(sync_point);
}

void Online::take_leave() {
  if (Online* const online = get()) online->state_->post_failed();
}

// From here on this rank takes part in exchanges without records of its own. The others learn of it
// in the next exchange.
void Online::State::give_up() {
  if (given_up) return;
  given_up = true;
  participant.give_up();
  give_up_messages();
}

// The same for messages only.
void Online::State::give_up_messages() {
  messages = false;
  participant.give_up_messages();
}

void Online::State::exchange(SyncPoint sync_point) {
  end();
  if (some_failed) {
    fail(IncompleteReason::OtherRank, kOtherRank);
    throw RecordingStopped();
  }
  begin(sync_point);
}

void Online::State::post() noexcept {
  Slot& next = slot(number);
  REAL(PMPI_Iallreduce)(next.mine.data(), next.all.data(), static_cast<int>(next.mine.size()),
                        MPI_INT, MPI_SUM, comm, &next.request);
}

// Posts the last exchange before meet(), with only the flag `Failed` set.
void Online::State::post_failed() noexcept {
  if (std::exchange(some_failed, true)) return;
  ++number;
  std::vector<int>& mine = slot(number).mine;
  std::fill(mine.begin(), mine.end(), 0);
  mine[Failed] = 1;
  post();
}

// Starts an exchange. Sends the access records of the period that ends here, and queries, answers
// and steps of earlier periods.
void Online::State::begin(SyncPoint sync_point) {
  const std::uint64_t next = number + 1;
  const std::size_t pending = participant.pending();
  Batches batches = participant.send(next, sync_point);
  if (asked.count(next - 2) != 0)
    for (auto& [to, batch] : participant.ask(next - 2)) {
      batches[to].edges = std::move(batch.edges);
      batches[to].guesses = std::move(batch.guesses);
      batches[to].queries = std::move(batch.queries);
    }
  else if (next > 2)
    participant.forget(next - 2);
  for (auto& [to, batch] : answers[next - 3]) batches[to].answers = std::move(batch.answers);
  answers.erase(next - 3);
  if (messages_before)
    for (auto& [to, batch] : participant.report_steps(next - 1))
      batches[to].steps = std::move(batch.steps);
  else if (next > 1)
    participant.forget_steps(next - 1);

  std::vector<int>& mine = slot(next).mine;
  std::fill(mine.begin(), mine.end(), 0);
  std::deque<Sent> outgoing;
  for (const auto& [to, batch] : batches) {
    if (to.value < 0 || to.value >= world_size) continue;
    mine[kShared + static_cast<std::size_t>(to.value)] = 1;
    outgoing.push_back({encode(batch), to.value, MPI_REQUEST_NULL});
    if (outgoing.back().bytes.size() > INT_MAX)
      throw std::length_error("the accesses of one rank to another take more than 2 GiB");
  }
  std::erase_if(sent, [](Sent& one) {
    int done = 0;
    REAL(PMPI_Test)(&one.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  const std::size_t before = sent.size();
  for (Sent& one : outgoing) sent.push_back(std::move(one));
  const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
  mine[Undecided] = undecided ? 1 : 0;
  mine[Running] = sync_point != kNoSyncPoint ? 1 : 0;
  mine[LongAgo] = now - last_start >= kShortNs ? 1 : 0;
  mine[TooLongAgo] = now - last_start > kLongNs ? 1 : 0;
  mine[NotFew] = pending >= kFew ? 1 : 0;
  mine[Many] = pending > kMany ? 1 : 0;
  mine[GivenUp] = given_up ? 1 : 0;
  mine[Messages] = participant.has_messages(next) ? 1 : 0;
  mine[MessagesGivenUp] = messages ? 0 : 1;

  // Nothing after this line can fail.
  number = next;
  until = sync_point;
  last_start = now;
  for (std::size_t i = before; i < sent.size(); ++i)
    REAL(PMPI_Isend)(sent[i].bytes.data(), static_cast<int>(sent[i].bytes.size()), MPI_BYTE,
                     sent[i].to, static_cast<int>(number % kTags), comm, &sent[i].request);
  post();
  next_exchange = sync_point + stride;
}

// Completes the collective of the next exchange. Returns the number of batches for this rank.
int Online::State::end_collective() noexcept {
  ++ended;
  REAL(PMPI_Wait)(&slot(ended).request, MPI_STATUS_IGNORE);
  const std::vector<int>& all = slot(ended).all;
  if (all[Failed] != 0) some_failed = true;
  return all[kShared + static_cast<std::size_t>(participant.rank().value)];
}

// Receives batches of exchange `of` and drops them. The buffer must be large enough for the whole
// message: Open MPI 4.1 reports a truncated message, but writes past the end of the buffer all the
// same. The buffer is mapped, since our own memory may be exhausted. If mmap fails, a datatype with
// stride 0 receives all bytes of the message into one byte.
void Online::State::discard(int batches, std::uint64_t of) noexcept {
  for (int i = 0; i < batches; ++i) {
    MPI_Status status;
    int size = 0;
    REAL(PMPI_Probe)(MPI_ANY_SOURCE, static_cast<int>(of % kTags), comm, &status);
    REAL(PMPI_Get_count)(&status, MPI_BYTE, &size);
    const auto receive = [&](void* into, int count, MPI_Datatype type) {
      REAL(PMPI_Recv)(into, count, type, status.MPI_SOURCE, status.MPI_TAG, comm,
                      MPI_STATUS_IGNORE);
    };
    const auto length = static_cast<std::size_t>(std::max(size, 1));
    void* const room = mmap(nullptr, length, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room != MAP_FAILED) {
      receive(room, size, MPI_BYTE);
      munmap(room, length);
      continue;
    }
    char same;
    MPI_Datatype all_there;
    REAL(PMPI_Type_create_hvector)(size, 1, 0, MPI_BYTE, &all_there);
    REAL(PMPI_Type_commit)(&all_there);
    receive(&same, 1, all_there);
    REAL(PMPI_Type_free)(&all_there);
  }
}

// Completes the last exchange: receives and processes the batches of the other ranks.
void Online::State::end() {
  if (number == 0) return;
  // First the collective, then the batches that it announced. All of their sends are posted by
  // then, so no rank waits for a rank that waits.
  const int incoming = end_collective();
  const std::vector<int>& all = slot(ended).all;
  if (some_failed) return discard(incoming, ended);
  struct Received {
    int from;
    Bytes bytes;
  };
  std::vector<Received> arrived;
  int taken = 0;
  try {
    arrived.resize(static_cast<std::size_t>(incoming));
    for (; taken < incoming; ++taken) {
      MPI_Status status;
      int size = 0;
      REAL(PMPI_Probe)(MPI_ANY_SOURCE, static_cast<int>(ended % kTags), comm, &status);
      REAL(PMPI_Get_count)(&status, MPI_BYTE, &size);
      Received& one = arrived[static_cast<std::size_t>(taken)];
      one.bytes.resize(static_cast<std::size_t>(size));
      one.from = status.MPI_SOURCE;
      REAL(PMPI_Recv)(one.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE,
                      static_cast<int>(ended % kTags), comm, MPI_STATUS_IGNORE);
    }
  } catch (const std::exception&) {
    discard(incoming - taken, ended);
    throw;
  }

  std::vector<Batch> accesses, queries_answered;
  std::map<WorldRank, Batch> asking;
  if (all[GivenUp] != 0) give_up();
  if (all[MessagesGivenUp] != 0 && messages) give_up_messages();
  std::size_t received = 0;
  for (Received& one : arrived) {
    const Bytes bytes = std::move(one.bytes);
    Batch batch;
    if (!decode(bytes, batch)) continue;
    Batch& ask = asking[WorldRank(one.from)];
    ask.edges = std::move(batch.edges);
    ask.guesses = std::move(batch.guesses);
    ask.queries = std::move(batch.queries);
    Batch& back = queries_answered.emplace_back();
    back.answers = std::move(batch.answers);
    received += memory_bytes(batch);
    if (received > memory) give_up();
    if (given_up)
      accesses.clear();
    else
      accesses.push_back(std::move(batch));
  }

  if (all[Undecided] != 0) asked.insert(number - 1);
  if (all[LongAgo] == 0 && all[NotFew] == 0)
    stride = std::min(2 * stride, kMaxStride);
  else if (all[TooLongAgo] != 0 || all[Many] != 0)
    stride = std::max<SyncPoint>(stride / 2, 1);

  const auto each = [&](const Owner::Hand& hand) {
    for (const Batch& batch : accesses) hand(batch);
  };
  undecided = participant.check(number, until, each, memory);
  if (asked.count(number - 2) != 0)
    answers[number - 2] = Participant::resolve_for(std::move(asking));
  if (asked.erase(number - 3) != 0) participant.conclude(number - 3, std::move(queries_answered));
  if (messages && !participant.walk(accesses)) give_up_messages();
  messages_before = messages && all[Messages] != 0;
}

// Makes exchanges until all ranks have reached MPI_Finalize, and the last periods have been checked
// and their queries answered. (An erroneous program, with fence assertions that differ between
// ranks, may give some ranks one sync point more.)
void Online::State::run_to_the_end() {
  if (some_failed) return;
  end();
  for (int quiet = 0; !some_failed && (quiet < 2 || !asked.empty());) {
    begin(kNoSyncPoint);
    end();
    quiet = slot(ended).all[Running] == 0 ? quiet + 1 : 0;
  }
}

// Ranks that failed may have posted different numbers of exchanges: posts the missing ones, and
// completes all. The agreement uses MPI_COMM_WORLD, because pending collectives on `comm` would
// match it.
void Online::State::meet() noexcept {
  std::uint64_t last = number;
  REAL(PMPI_Allreduce)(&number, &last, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  while (ended < last) {
    if (number == ended) {
      ++number;
      std::fill(slot(number).mine.begin(), slot(number).mine.end(), 0);
      post();
    }
    const int incoming = end_collective();
    discard(incoming, ended);
  }
  for (Sent& one : sent) REAL(PMPI_Wait)(&one.request, MPI_STATUS_IGNORE);
}

// Returns the message findings of all ranks, on rank 0. Empty if some rank could not analyze all
// messages. All ranks make the same collective calls, even if one of them fails in between.
std::optional<MessageFindings> Online::State::gather_messages() {
  Bytes own;
  int works = 0, all_work = 0;
  if (messages)
    guarded([&] {
      own = encode_messages(participant.take_messages());
      works = own.size() <= INT_MAX ? 1 : 0;
    });
  REAL(PMPI_Allreduce)(&works, &all_work, 1, MPI_INT, MPI_MIN, comm);
  if (all_work == 0) return {};
  const bool first = participant.rank() == WorldRank(0);
  const int size = static_cast<int>(own.size());
  std::vector<int> sizes, displacements;
  Bytes everybody;
  if (first)
    all_work = guarded([&] {
      sizes.resize(static_cast<std::size_t>(world_size));
      displacements.resize(sizes.size());
    });
  REAL(PMPI_Bcast)(&all_work, 1, MPI_INT, 0, comm);
  if (all_work == 0) return {};
  REAL(PMPI_Gather)(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm);
  if (first)
    all_work = guarded([&] {
      std::int64_t total = 0;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        displacements[i] = static_cast<int>(total);
        total += sizes[i];
      }
      if (total > INT_MAX) throw std::length_error("the message findings take more than 2 GiB");
      everybody.resize(static_cast<std::size_t>(total));
    });
  REAL(PMPI_Bcast)(&all_work, 1, MPI_INT, 0, comm);
  if (all_work == 0) return {};
  REAL(PMPI_Gatherv)(own.data(), size, MPI_BYTE, everybody.data(), sizes.data(),
                     displacements.data(), MPI_BYTE, 0, comm);
  if (!first) return {};
  std::vector<MessageFindings> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto begin = everybody.begin() + displacements[i];
    auto part = decode_messages({begin, begin + sizes[i]});
    if (!part) return {};
    parts.push_back(std::move(*part));
  }
  MessageFindings merged = merge_messages(std::move(parts));
  merged.followed &= !some_failed;
  return merged;
}

void Online::finish() {
  State& state = *state_;
  if (!has_failed()) guarded([&] { state.run_to_the_end(); });
  if (has_failed()) state.post_failed();
  instance_ = nullptr;
  state.meet();
  if (state.some_failed) fail(IncompleteReason::OtherRank, kOtherRank);

  // Findings up to the failure are valid: all ranks took part in the exchanges before it.
  std::vector<Finding> findings;
  guarded([&] {
    if (!state.given_up) findings = state.participant.take_findings();
  });
  std::optional<MessageFindings> messages;
  guarded([&] { messages = state.gather_messages(); });
  int mine = std::all_of(findings.begin(), findings.end(),
                         [](const Finding& finding) { return is_intended(finding); })
                 ? 0
                 : 1,
      any = 0;
  REAL(PMPI_Reduce)(&mine, &any, 1, MPI_INT, MPI_MAX, 0, state.comm);
  REAL(PMPI_Comm_free)(&state.comm);
  guarded([&] { state.write(findings, messages, any != 0); });
}

// Writes the findings into the file that start() reserved space for.
void Online::State::write(const std::vector<Finding>& findings,
                          const std::optional<MessageFindings>& messages, bool any) {
  if (messages) {
    if (const auto written = write_messages(messages_path(directory), *messages); !written)
      complain_once(written.error().message);
    if (!std::all_of(messages->races.begin(), messages->races.end(),
                     [](const MessageFinding& finding) { return is_intended(finding); }))
      any = true;
  }
  const std::string path = findings_path(directory, participant.rank());
  if (given_up)
    release_findings(path);
  else if (const auto written = write_findings(path, findings); !written)
    complain_once(written.error().message);
  // photofinish check prints the result itself.
  const char* const token = std::getenv("PHOTOFINISH_TOKEN");
  if (participant.rank() == WorldRank(0) && (token == nullptr || *token == '\0'))
    say_line(std::string(any ? "races found" : "recorded") +
             " (messages are not analyzed yet). Next: photofinish report " + directory);
}

}  // namespace photofinish::mpi
