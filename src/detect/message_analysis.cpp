#include "detect/message_analysis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <queue>
#include <tuple>

#include "detect/message_sequence.h"
#include "detect/timeline.h"

namespace photofinish {
namespace {

// Nothing else that a rank does bears on its messages.
bool concerns_messages(Action action) {
  switch (action) {
    case Action::Load:
    case Action::Store:
    case Action::Put:
    case Action::Get:
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
    case Action::Lock:
    case Action::LockAll:
    case Action::Unlock:
    case Action::UnlockAll:
    case Action::Flush:
    case Action::FlushAll:
    case Action::FlushLocal:
    case Action::FlushLocalAll:
    case Action::WinSync:
    case Action::FileRead:
    case Action::FileWrite: return false;
    default: return true;
  }
}

// Whether the call could have come back with something else, had it been made a little earlier or later.
bool depends_on_time(const Event& event) {
  const auto [name, action, when] = traits(event.call);
  const bool asked_in_vain = event.fields.has(Field::flag) && event.fields[Field::flag] == 0;
  switch (action) {
    case Action::Probe:
    case Action::MatchedProbe:
    case Action::RequestStatus: return asked_in_vain;
    case Action::Wait: return asked_in_vain;
    case Action::WaitAll: return asked_in_vain;
    case Action::WaitAny:
    case Action::WaitSome:
      return asked_in_vain || std::count_if(event.requests.begin(), event.requests.end(), [](RequestId id) { return id != RequestId(0); }) > 1;
    default: return false;
  }
}

// What all ranks share.
struct Walk {
  explicit Walk(std::int32_t ranks) : races(ranks), seen(ranks, MessageSequence::Sends::AsSeen, &races), unbuffered(ranks, MessageSequence::Sends::Unbuffered, nullptr) {}
  MessageRaces races;
  MessageSequence seen, unbuffered;
  std::map<std::uint64_t, TimingDependence> timing;  // by site
  std::uint64_t messages = 0;
  bool threads = false;  // a rank has several that call MPI
};

class Rank final : public MessageSink {
 public:
  Rank(RankInput input, std::int32_t world_size, Walk& walk)
      : input_(std::move(input)), timeline_(input_.rank, world_size, *input_.definitions), walk_(walk) {
    timeline_.tell_messages(this);
    advance();
  }

  bool ended() const { return next_ == nullptr; }
  bool finalized() const { return finalized_; }
  std::uint64_t next_start() const { return start_; }  // of its next event, in ticks of its machine

  void take() {
    event_ = next_;
    if (concerns_messages(traits(event_->call).action) && traits(event_->call).action != Action::Init) {
      if (task_ == TaskId()) task_ = event_->task;
      walk_.threads |= task_ != event_->task;
    }
    flush([&](const Deferred& deferred) { return deferred.task == event_->task || deferred.end <= event_->start; });
    deferring_ = false;
    if (concerns_messages(traits(event_->call).action)) timeline_.add(*event_, {});
    if (event_->returned && depends_on_time(*event_)) note_timing();
    finalized_ |= traits(event_->call).action == Action::Finalize || traits(event_->call).action == Action::SessionFinalize;
    advance();
  }
  void finish() {
    flush([](const Deferred&) { return true; });
  }

  void step(MessageStep step) override {
    using Kind = MessageStep::Kind;
    if (step.kind == Kind::Send) ++walk_.messages;
    deferring_ |= step.kind == Kind::CompleteSend || step.kind == Kind::CompleteReceive || step.kind == Kind::Hear || step.kind == Kind::Probe;
    if (deferring_) deferred_.push_back({event_->task, event_->start + event_->duration, std::move(step)});
    else add(std::move(step));
  }
  void took(std::uint64_t operation, MessageKey key) override {
    took_.emplace_back(operation, key);
    if (deferred_.empty()) tell_took();
  }

 private:
  // What a call waits for is over when the call is; other threads may have done something in between.
  struct Deferred {
    TaskId task;
    std::uint64_t end = 0;
    MessageStep step;
  };

  void advance() {
    next_ = input_.next();
    if (next_ == nullptr) return;
    const HostClock& clock = input_.definitions->rank.clock;
    start_ = clock.tick + static_cast<std::uint64_t>(std::llround(static_cast<double>(next_->start) / clock.ns_per_tick));
  }

  void add(MessageStep step) {
    walk_.unbuffered.add(input_.rank, step);
    walk_.seen.add(input_.rank, std::move(step));
  }

  template <class Over>
  void flush(Over over) {
    if (deferred_.empty()) return;
    std::vector<Deferred> left;
    for (Deferred& deferred : std::exchange(deferred_, {})) {
      if (over(deferred)) add(std::move(deferred.step));
      else left.push_back(std::move(deferred));
    }
    deferred_ = std::move(left);
    tell_took();
  }

  // Once the steps are there.
  void tell_took() {
    for (const auto& [operation, key] : std::exchange(took_, {})) {
      walk_.unbuffered.took(input_.rank, operation, key);
      walk_.seen.took(input_.rank, operation, key);
    }
  }

  void note_timing() {
    const std::uint64_t key = timeline_.site_key(event_->site);
    TimingDependence& known = walk_.timing[key];
    if (known.ranks.empty() || input_.rank < known.at.rank) known.at = {input_.rank, 0, event_->site, key};
    if (known.ranks.empty()) known.times = 0;
    known.ranks.insert(input_.rank);
    ++known.times;
  }

  const RankInput input_;
  Timeline timeline_;
  Walk& walk_;
  const Event* next_ = nullptr;
  const Event* event_ = nullptr;
  std::uint64_t start_ = 0;
  TaskId task_;
  bool finalized_ = false;
  bool deferring_ = false;
  std::vector<Deferred> deferred_;
  std::vector<std::pair<std::uint64_t, MessageKey>> took_;
};

// One for each place of a receive, with all that it could have got.
std::vector<MessageFinding> merged(const std::vector<MessageRaceClass>& races) {
  std::map<std::uint64_t, MessageFinding> by_place;
  for (const MessageRaceClass& race : races) {
    const MessageRace& first = race.first;
    const auto [known, added] = by_place.try_emplace(first.receive.site_key);
    MessageFinding& finding = known->second;
    if (added || std::tie(first.receive.rank, first.receive.moment) < std::tie(finding.receive.rank, finding.receive.moment)) {
      finding.taker = first.taker;
      finding.comm = first.comm;
      finding.wanted = first.wanted;
      finding.receive = first.receive;
      finding.got = first.got;
    }
    finding.times = added ? race.count : finding.times + race.count;
    finding.others.push_back({first.other, first.other_unmatched, race.count});
    finding.ranks.insert(race.ranks.begin(), race.ranks.end());
  }
  std::vector<MessageFinding> findings;
  for (auto& [place, finding] : by_place) {
    const auto order = [](const MessageFinding::Other& other) { return std::tuple(other.send.rank, other.send.moment, other.send.site_key); };
    std::sort(finding.others.begin(), finding.others.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
    findings.push_back(std::move(finding));
  }
  const auto order = [](const MessageFinding& f) { return std::tuple(f.receive.rank, f.receive.moment, f.receive.site_key); };
  std::sort(findings.begin(), findings.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return findings;
}

Standstill standstill(const Deadlock& deadlock) {
  Standstill result;
  result.cycle = deadlock.cycle;
  result.other_match = deadlock.other_match;
  result.times = deadlock.count;
  for (const Deadlock::Waits& waits : deadlock.waits) result.waits.push_back({waits.rank, waits.step.site, waits.posted.site, waits.on});
  return result;
}

}  // namespace

MessageFindings analyze_messages(std::vector<RankInput> inputs) {
  const auto world_size = static_cast<std::int32_t>(inputs.size());
  Walk walk(world_size);
  std::vector<std::unique_ptr<Rank>> ranks;
  for (RankInput& input : inputs) ranks.push_back(std::make_unique<Rank>(std::move(input), world_size, walk));

  using Next = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (!ranks[i]->ended()) queue.emplace(ranks[i]->next_start(), i);
  while (!queue.empty()) {
    const std::size_t i = queue.top().second;
    queue.pop();
    ranks[i]->take();
    if (!ranks[i]->ended()) queue.emplace(ranks[i]->next_start(), i);
  }
  for (const auto& rank : ranks) rank->finish();
  walk.seen.finish();
  walk.races.finish();
  walk.unbuffered.finish();

  MessageFindings findings;
  findings.races = merged(walk.races.races());
  findings.followed = walk.seen.waiting() == 0 && std::all_of(ranks.begin(), ranks.end(), [](const auto& rank) { return rank->finalized(); });
  // Without buffers, what one thread waits for would not hold up another. In a run that was broken off, what never came might have.
  findings.threads = walk.threads;
  if (!walk.threads)
    for (const Deadlock& deadlock : walk.unbuffered.deadlocks())
      if (deadlock.cycle || findings.followed) findings.standstills.push_back(standstill(deadlock));
  for (const auto& [site, timing] : walk.timing) findings.timing.push_back(timing);
  findings.messages = walk.messages;
  return findings;
}

}  // namespace photofinish
