#include "frontend/mpi/online.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <vector>

#include "base/ticks.h"
#include "detect/participant.h"
#include "frontend/mpi/real.h"
#include "runtime/recorder.h"
#include "trace/findings_file.h"

namespace photofinish::mpi {
namespace {

using Bytes = std::vector<std::uint8_t>;

// How far apart exchanges should be: far enough not to be felt (on an oversubscribed machine each
// is as many switches between processes as there are ranks, several times over), near enough that
// little piles up.
constexpr std::uint64_t kShortNs = 100'000'000, kLongNs = 400'000'000;
constexpr std::uint64_t kFew = 1 << 14, kMany = 1 << 17;
constexpr Cut kMaxStride = 1 << 12;
constexpr int kTags = 1 << 14;
// A slice is walked by one rank while the others wait for it: about a second at most. Longer ones
// are left to the traces, when the program has ended; earlier those with receives that take from
// anybody, or any tag. They are walked both ways, and a program that hands out work so may go on
// for ever without a cut.
constexpr std::size_t kMostSteps = 1 << 20, kMostWildSteps = 1 << 16;

}  // namespace

struct Online::State {
  State(WorldRank rank, int size, const Definitions& definitions, const RuleOptions& rules)
      : world_size(size),
        participant(rank, size, definitions, rules),
        mine(kShared + static_cast<std::size_t>(size)),
        all(mine.size()) {}

  const int world_size;
  Participant participant;
  MPI_Comm comm = MPI_COMM_NULL;
  std::string directory;

  Cut last_cut = 0;
  Cut next_exchange = 1;
  Cut stride = 1;
  std::uint64_t number =
      0;          // of the last exchange that was started; so is the period that it ended
  Cut until = 0;  // the cut that ended that period
  std::uint64_t last_start = 0;

  // Of the exchange in flight. What the ranks tell each other are sums, so that one collective does
  // it: how many of them are so, and then, for each rank, how many send it a parcel.
  enum Shared {
    Undecided,
    Running,
    LongAgo,
    TooLongAgo,
    NotFew,
    Many,
    GivenUp,
    Messages,
    MessagesGivenUp,
    kShared
  };
  std::vector<int> mine, all;
  std::vector<Bytes> sent;
  std::vector<MPI_Request> requests;  // one for each parcel, and the last for the collective

  // For accesses that wait, those of this rank and those for it, and as much again to look at them.
  std::size_t memory = 0;
  bool given_up = false;  // some rank has more than that: the traces will be analysed, and nobody's
                          // findings count
  bool undecided = false;                    // this rank, about the period that it checked last
  std::set<std::uint64_t> asked;             // periods that somebody has a question about
  std::map<std::uint64_t, Parcels> answers;  // by period, to be sent
  bool messages = false;                     // looked at; false once some rank could not
  bool messages_before = false;              // somebody has some in the period before the last

  void give_up();
  void give_up_messages();
  void exchange(Cut cut);
  void begin(Cut cut);
  void end();
  std::optional<MessageFindings> gather_messages();
};

Online* Online::instance_ = nullptr;

void Online::start(const Definitions& definitions, const std::string& directory,
                   const Options& options) {
  int rank = 0, size = 0, level = MPI_THREAD_SINGLE;
  REAL(PMPI_Query_thread)(&level);
  if (options.offline || level == MPI_THREAD_MULTIPLE) return;
  REAL(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  REAL(PMPI_Comm_size)(MPI_COMM_WORLD, &size);
  auto* self = new Online;  // never deleted: it goes with the process
  self->state_ = new State(WorldRank(rank), size, definitions,
                           {.strict_accumulate_ops = options.strict_accumulate_ops});
  self->state_->directory = directory;
  self->state_->memory = (static_cast<std::size_t>(options.memory) << 20) / 2;
  self->state_->messages = options.messages;
  self->state_->participant.run_along(options.messages);
  if (REAL(PMPI_Comm_dup)(MPI_COMM_WORLD, &self->state_->comm) != MPI_SUCCESS) return;
  REAL(PMPI_Comm_set_errhandler)(self->state_->comm, MPI_ERRORS_RETURN);
  self->state_->last_start = clock_ns(CLOCK_MONOTONIC);
  instance_ = self;
}

void Online::add(const Event& event, std::uint64_t start, std::uint64_t end) {
  State& state = *state_;
  state.participant.add(event, {start, end});
  const Timeline& timeline = state.participant.timeline();
  if (state.participant.waiting_bytes() + timeline.signal_bytes() > state.memory ||
      timeline.lacks_signals()) [[unlikely]]
    state.give_up();
  if (const MessageLog* const log = state.messages ? state.participant.log() : nullptr;
      log != nullptr && log->slice_steps() > (log->slice_is_wild() ? kMostWildSteps : kMostSteps) /
                                                 static_cast<std::size_t>(state.world_size))
      [[unlikely]]
    state.give_up_messages();
  const Cut cut = timeline.cuts_done();
  if (cut == state.last_cut) return;
  state.last_cut = cut;
  if (cut >= state.next_exchange) state.exchange(cut);
}

// From here on this rank only keeps in step with the others, who will hear of it with the next
// exchange.
void Online::State::give_up() {
  if (given_up) return;
  given_up = true;
  participant.give_up();
  give_up_messages();
}

// The same, as far as messages are concerned.
void Online::State::give_up_messages() {
  messages = false;
  participant.give_up_messages();
}

void Online::State::exchange(Cut cut) {
  end();
  begin(cut);
}

// Sends what this rank has for others: of the period that ends here, and of earlier ones that
// somebody asked about.
void Online::State::begin(Cut cut) {
  ++number;
  until = cut;
  const std::size_t pending = participant.pending();
  Parcels parcels = participant.send(number, cut);
  if (asked.count(number - 2) != 0)
    for (auto& [to, parcel] : participant.ask(number - 2)) {
      parcels[to].signals = std::move(parcel.signals);
      parcels[to].guesses = std::move(parcel.guesses);
      parcels[to].questions = std::move(parcel.questions);
    }
  else if (number > 2)
    participant.forget(number - 2);
  for (auto& [to, parcel] : answers[number - 3]) parcels[to].answers = std::move(parcel.answers);
  answers.erase(number - 3);
  if (messages_before)
    for (auto& [to, parcel] : participant.tell_steps(number - 1))
      parcels[to].steps = std::move(parcel.steps);
  else if (number > 1)
    participant.forget_steps(number - 1);

  std::fill(mine.begin(), mine.end(), 0);
  for (const auto& [to, parcel] : parcels) {
    if (to.value < 0 || to.value >= world_size) continue;
    mine[kShared + static_cast<std::size_t>(to.value)] = 1;
    sent.push_back(encode(parcel));
    requests.emplace_back();
    REAL(PMPI_Isend)(sent.back().data(), static_cast<int>(sent.back().size()), MPI_BYTE, to.value,
                     static_cast<int>(number % kTags), comm, &requests.back());
  }
  const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
  mine[Undecided] = undecided ? 1 : 0;
  mine[Running] = cut != kNoCut ? 1 : 0;
  mine[LongAgo] = now - last_start >= kShortNs ? 1 : 0;
  mine[TooLongAgo] = now - last_start > kLongNs ? 1 : 0;
  mine[NotFew] = pending >= kFew ? 1 : 0;
  mine[Many] = pending > kMany ? 1 : 0;
  mine[GivenUp] = given_up ? 1 : 0;
  mine[Messages] = participant.has_messages(number) ? 1 : 0;
  mine[MessagesGivenUp] = messages ? 0 : 1;
  last_start = now;
  requests.emplace_back();
  REAL(PMPI_Iallreduce)(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT, MPI_SUM,
                        comm, &requests.back());
  next_exchange = cut + stride;
}

// Takes what others sent with the last exchange.
void Online::State::end() {
  if (number == 0) return;
  // First the collective, then the parcels that it told of, then what this rank sent: nobody waits
  // for a rank that waits.
  REAL(PMPI_Wait)(&requests.back(), MPI_STATUS_IGNORE);
  requests.pop_back();
  const int incoming = all[kShared + static_cast<std::size_t>(participant.rank().value)];
  std::vector<Parcel> accesses, questions_answered;
  std::map<WorldRank, Parcel> asking;
  if (all[GivenUp] != 0) give_up();
  if (all[MessagesGivenUp] != 0 && messages) give_up_messages();
  std::size_t received = 0;
  for (int i = 0; i < incoming; ++i) {
    MPI_Status status;
    int size = 0;
    REAL(PMPI_Probe)(MPI_ANY_SOURCE, static_cast<int>(number % kTags), comm, &status);
    REAL(PMPI_Get_count)(&status, MPI_BYTE, &size);
    Bytes bytes(static_cast<std::size_t>(size));
    REAL(PMPI_Recv)(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE,
                    static_cast<int>(number % kTags), comm, MPI_STATUS_IGNORE);
    Parcel parcel;
    if (!decode(bytes, parcel)) continue;
    Parcel& ask = asking[WorldRank(status.MPI_SOURCE)];
    ask.signals = std::move(parcel.signals);
    ask.guesses = std::move(parcel.guesses);
    ask.questions = std::move(parcel.questions);
    Parcel& back = questions_answered.emplace_back();
    back.answers = std::move(parcel.answers);
    received += footprint(parcel);
    if (received > memory) give_up();
    if (given_up)
      accesses.clear();
    else
      accesses.push_back(std::move(parcel));
  }
  if (!requests.empty())
    REAL(PMPI_Waitall)(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();
  sent.clear();

  if (all[Undecided] != 0) asked.insert(number - 1);
  if (all[LongAgo] == 0 && all[NotFew] == 0)
    stride = std::min(2 * stride, kMaxStride);
  else if (all[TooLongAgo] != 0 || all[Many] != 0)
    stride = std::max<Cut>(stride / 2, 1);

  const auto each = [&](const Owner::Hand& hand) {
    for (const Parcel& parcel : accesses) hand(parcel);
  };
  undecided = participant.check(number, until, each, memory);
  if (asked.count(number - 2) != 0)
    answers[number - 2] = Participant::resolve_for(std::move(asking));
  if (asked.erase(number - 3) != 0) participant.conclude(number - 3, std::move(questions_answered));
  if (messages && !participant.walk(accesses)) give_up_messages();
  messages_before = messages && all[Messages] != 0;
}

// Everybody's, on rank 0; none if somebody could not look at all of them.
std::optional<MessageFindings> Online::State::gather_messages() {
  int ended = messages ? 1 : 0, all_ended = 0;
  REAL(PMPI_Allreduce)(&ended, &all_ended, 1, MPI_INT, MPI_MIN, comm);
  if (all_ended == 0) return {};
  const bool first = participant.rank() == WorldRank(0);
  const Bytes own = encode_messages(participant.take_messages());
  const int size = static_cast<int>(own.size());
  std::vector<int> sizes(first ? static_cast<std::size_t>(world_size) : 0), places(sizes.size());
  REAL(PMPI_Gather)(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm);
  int total = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    places[i] = total;
    total += sizes[i];
  }
  Bytes everybody(static_cast<std::size_t>(total));
  REAL(PMPI_Gatherv)(own.data(), size, MPI_BYTE, everybody.data(), sizes.data(), places.data(),
                     MPI_BYTE, 0, comm);
  if (!first) return {};
  std::vector<MessageFindings> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto begin = everybody.begin() + places[i];
    auto part = decode_messages({begin, begin + sizes[i]});
    if (!part) return {};
    parts.push_back(std::move(*part));
  }
  return merge_messages(std::move(parts));
}

void Online::finish() {
  State& state = *state_;
  instance_ = nullptr;
  state.end();
  // Until everybody is here, and the last period has been checked; it, and those before it, may
  // have questions. (In a program that contradicts itself, with asserts that differ from rank to
  // rank, some may have counted one cut more.)
  for (int quiet = 0; quiet < 2 || !state.asked.empty();) {
    state.begin(kNoCut);
    state.end();
    quiet = state.all[State::Running] == 0 ? quiet + 1 : 0;
  }
  const std::vector<Finding> findings =
      state.given_up ? std::vector<Finding>() : state.participant.take_findings();
  const std::optional<MessageFindings> messages = state.gather_messages();
  int mine = std::all_of(findings.begin(), findings.end(),
                         [](const Finding& finding) { return is_intended(finding); })
                 ? 0
                 : 1,
      any = 0;
  REAL(PMPI_Reduce)(&mine, &any, 1, MPI_INT, MPI_MAX, 0, state.comm);
  REAL(PMPI_Comm_free)(&state.comm);
  if (messages) {
    if (const auto written = write_messages(messages_path(state.directory), *messages); !written)
      complain_once(written.error().message);
    if (!std::all_of(messages->races.begin(), messages->races.end(),
                     [](const MessageFinding& finding) { return is_intended(finding); }))
      any = 1;
  }
  if (!state.given_up)
    if (const auto written =
            write_findings(findings_path(state.directory, state.participant.rank()), findings);
        !written)
      complain_once(written.error().message);
  // photofinish check tells by itself.
  const char* const token = std::getenv("PHOTOFINISH_TOKEN");
  if (state.participant.rank() == WorldRank(0) && (token == nullptr || *token == '\0'))
    say_line((any != 0 ? "races found · photofinish report " : "recorded · photofinish report ") +
             state.directory);
}

}  // namespace photofinish::mpi
