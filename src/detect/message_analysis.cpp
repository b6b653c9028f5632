#include "detect/message_analysis.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

#include "detect/sequence_pair.h"
#include "detect/thread_posts.h"
#include "effects/meaning.h"

namespace photofinish {
namespace {

// A step, the message that a receive took, or what ThreadPosts found out about an operation.
struct Reported {
  enum class Kind : std::uint8_t { Step, Took, Watch, Unwatch, Concurrent };
  WorldRank rank;
  MessageStep step;  // of the other kinds: only operation; key: the message, or the later operation
  Kind kind = Kind::Step;
};
using StepBatch = std::shared_ptr<const std::vector<Reported>>;

// Runs one of the two simulations on a thread of its own. Each takes about as long as reading the
// traces.
class SequenceThread {
 public:
  SequenceThread(std::int32_t ranks, SequencePair::Ways ways, std::size_t memory)
      : memory_(memory), walk_(std::in_place, ranks) {
    walk_->go(ways);
    thread_ = std::thread([this] { run(); });
  }
  ~SequenceThread() { join(); }

  // Blocks while too many batches are queued.
  void add(StepBatch batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return batches_.size() < kMost; });
    batches_.push_back(std::move(batch));
    changed_.notify_all();
  }
  // No further steps. Null: the simulation was given up for lack of memory.
  SequencePair* finish(bool ended) {
    join();
    if (!walk_) return nullptr;
    walk_->finish(ended);
    return &*walk_;
  }
  void give_up() { given_up_ = true; }

 private:
  static constexpr std::size_t kMost = 8;

  void join() {
    if (!thread_.joinable()) return;
    add(nullptr);
    thread_.join();
  }
  void run() {
    while (const StepBatch batch = next()) {
      if (!walk_) continue;
      for (const Reported& reported : *batch) {
        if (reported.kind == Reported::Kind::Step)
          report(reported);
        else
          report_more(reported);
      }
      if (given_up_ || walk_->bytes() > memory_) walk_.reset();
    }
    if (given_up_) walk_.reset();
  }
  void report(const Reported& reported) {
    // Ranks are processed in the order of their clocks, so a rank that takes the lock afterwards is
    // added later.
    if (reported.step.kind == MessageStep::Kind::Unlock)
      walk_->announce(reported.rank, reported.step);
    walk_->add(reported.rank, reported.step);
  }
  void report_more(const Reported& reported) {
    using Kind = Reported::Kind;
    const ThreadRaces::Operation operation{reported.rank, reported.step.operation};
    if (reported.kind == Kind::Took)
      walk_->took(reported.rank, reported.step.operation, reported.step.key);
    else if (reported.kind == Kind::Watch)
      walk_->threads().watch(operation);
    else if (reported.kind == Kind::Unwatch)
      walk_->threads().unwatch(operation);
    else
      walk_->threads().concurrent(operation, {reported.rank, reported.step.key});
  }
  StepBatch next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !batches_.empty(); });
    StepBatch batch = std::move(batches_.front());
    batches_.pop_front();
    changed_.notify_all();
    return batch;
  }

  const std::size_t memory_;
  std::optional<SequencePair> walk_;  // empty: it was given up
  std::atomic<bool> given_up_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<StepBatch> batches_;
  std::thread thread_;
};

// State shared by all ranks.
class SequenceThreads {
 public:
  SequenceThreads(std::int32_t ranks, std::size_t memory)
      : seen_(ranks, SequencePair::Ways::AsSeen, memory / 2),
        unbuffered_(ranks, SequencePair::Ways::Unbuffered, memory / 2) {}

  void add(WorldRank rank, MessageStep step) { add(Reported{rank, std::move(step)}); }
  void took(WorldRank rank, std::uint64_t operation, MessageKey key) {
    add(rank, Reported::Kind::Took, operation, key);
  }
  void add(WorldRank rank, const ThreadPosts::Actions& actions) {
    using Kind = Reported::Kind;
    if (!actions.watch) return;
    add(rank, Kind::Watch, *actions.watch);
    for (const std::uint64_t one : actions.unwatch) add(rank, Kind::Unwatch, one);
    for (const std::uint64_t one : actions.concurrent)
      add(rank, Kind::Concurrent, one, *actions.watch);
  }
  // Races and deadlocks. `followed` covers messages only.
  std::vector<MessageFindings> finish(bool ended, const std::vector<RankEnding>& endings) {
    hand_over();
    std::vector<MessageFindings> parts;
    MessageFindings& races = parts.emplace_back();
    if (SequencePair* const seen = seen_.finish(ended)) {
      races = seen->findings(endings);
      races.followed = seen->seen_to_the_end();
    } else {
      races.races_given_up = true;
    }
    MessageFindings& buffers = parts.emplace_back();
    if (SequencePair* const unbuffered = unbuffered_.finish(ended))
      buffers = unbuffered->findings();
    else
      buffers.buffers_given_up = true;
    return parts;
  }
  void give_up() {
    seen_.give_up();
    unbuffered_.give_up();
  }

  std::uint64_t messages = 0;

 private:
  static constexpr std::size_t kBatch = 2048;

  void add(WorldRank rank, Reported::Kind kind, std::uint64_t operation, std::uint64_t key = 0) {
    Reported reported{rank, {}, kind};
    reported.step.operation = operation;
    reported.step.key = key;
    add(std::move(reported));
  }
  void add(Reported reported) {
    batch_.push_back(std::move(reported));
    if (batch_.size() == kBatch) hand_over();
  }
  void hand_over() {
    const auto batch = std::make_shared<const std::vector<Reported>>(std::move(batch_));
    batch_ = {};
    batch_.reserve(kBatch);
    seen_.add(batch);
    unbuffered_.add(batch);
  }

  SequenceThread seen_, unbuffered_;
  std::vector<Reported> batch_;
};

class Rank final : public MessageSink {
 public:
  Rank(RankInput input, std::int32_t world_size, SequenceThreads& walk)
      : input_(std::move(input)),
        timeline_(input_.rank, world_size, *input_.definitions),
        meaning_(input_.meaning(timeline_)),
        walk_(walk) {
    timeline_.report_messages(this, Timeline::Besides::Nothing);
    advance();
  }

  bool ended() const { return next_ == nullptr; }
  bool finalized() const { return finalized_; }
  RankEnding ending() const { return ending_; }
  std::size_t bytes() const { return meaning_->memory_bytes(); }
  // Of its next event, in clock ticks of its host.
  std::uint64_t next_start() const { return start_; }

  void take() {
    event_ = next_;
    flush([&](const Deferred& deferred) {
      return deferred.task == event_->task || deferred.end <= event_->start;
    });
    deferring_ = false;
    posts_.enter(*event_);
    const Meaning::Concern concern = meaning_->concern(*event_);
    if (concern == Meaning::Concern::Messages) meaning_->add(*event_, {});
    if (concern == Meaning::Concern::Locks)
      meaning_->add(*event_,
                    {ticks(event_->start), ticks(event_->start + event_->duration) +
                                               2 * input_.definitions->rank.ticks_per_unit});
    meaning_->note(*event_);
    finalized_ |= meaning_->ending(*event_) != Meaning::Ending::No;
    note_ending();
    advance();
  }
  void finish() {
    flush([](const Deferred&) { return true; });
    deferring_ = false;
    meaning_->end_messages();
  }
  void add_notes(MessageFindings& findings) const { meaning_->add_notes(findings); }

  void step(MessageStep step) override {
    using Kind = MessageStep::Kind;
    if (step.at_once) {
      auto [posted, complete] = halves(step);
      this->step(std::move(posted));
      return this->step(std::move(complete));
    }
    if (step.kind == Kind::Send) ++walk_.messages;
    if (step.kind == Kind::Send || step.kind == Kind::Receive)
      walk_.add(input_.rank, posts_.posted(step));
    if (step.kind == Kind::CompleteReceive || step.kind == Kind::Acquire ||
        step.kind == Kind::Probe)
      posts_.acquired();
    deferring_ |= step.kind == Kind::CompleteSend || step.kind == Kind::CompleteReceive ||
                  step.kind == Kind::Acquire || step.kind == Kind::Probe ||
                  step.kind == Kind::Locked;
    if (deferring_)
      deferred_.push_back({event_->task, event_->start + event_->duration, std::move(step)});
    else
      walk_.add(input_.rank, std::move(step));
  }
  void took(std::uint64_t operation, MessageKey key) override {
    took_.emplace_back(operation, key);
    if (deferred_.empty()) report_took();
  }

 private:
  // A wait ends when its call returns. Other threads may have taken steps in between.
  struct Deferred {
    TaskId task;
    std::uint64_t end = 0;
    MessageStep step;
  };

  void note_ending() {
    using State = RankEnding::State;
    if (ending_.state == State::Finished) return;
    if (meaning_->ending(*event_) == Meaning::Ending::Yes)
      ending_ = {State::Finished, event_->site};
    else
      ending_.state = !event_->returned && input_.was_alive ? State::InCall : State::Unknown;
  }
  void advance() {
    next_ = input_.next();
    if (next_ == nullptr) return;
    start_ = ticks(next_->start);
  }
  std::uint64_t ticks(std::uint64_t ns) const {
    const HostClock& clock = input_.definitions->rank.clock;
    return clock.tick +
           static_cast<std::uint64_t>(std::llround(static_cast<double>(ns) / clock.ns_per_tick));
  }

  template <class Over>
  void flush(Over over) {
    if (deferred_.empty()) return;
    std::vector<Deferred> left;
    for (Deferred& deferred : std::exchange(deferred_, {})) {
      if (over(deferred))
        walk_.add(input_.rank, std::move(deferred.step));
      else
        left.push_back(std::move(deferred));
    }
    deferred_ = std::move(left);
    report_took();
  }

  // Call after all deferred steps have been added.
  void report_took() {
    for (const auto& [operation, key] : std::exchange(took_, {}))
      walk_.took(input_.rank, operation, key);
  }

  const RankInput input_;
  Timeline timeline_;
  const std::unique_ptr<Meaning> meaning_;
  SequenceThreads& walk_;
  const Event* next_ = nullptr;
  const Event* event_ = nullptr;
  ThreadPosts posts_;
  std::uint64_t start_ = 0;
  bool finalized_ = false;
  RankEnding ending_;
  bool deferring_ = false;
  std::vector<Deferred> deferred_;
  std::vector<std::pair<std::uint64_t, MessageKey>> took_;
};

}  // namespace

MessageFindings analyze_messages(std::vector<RankInput> inputs, std::size_t memory) {
  const auto world_size = static_cast<std::int32_t>(inputs.size());
  SequenceThreads walk(world_size, memory);
  std::vector<std::unique_ptr<Rank>> ranks;
  for (RankInput& input : inputs)
    ranks.push_back(std::make_unique<Rank>(std::move(input), world_size, walk));

  using Next = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (!ranks[i]->ended()) queue.emplace(ranks[i]->next_start(), i);
  bool too_much = false;
  constexpr std::uint64_t kCheck = 4096;
  for (std::uint64_t taken = 1; !queue.empty() && !too_much; ++taken) {
    const std::size_t i = queue.top().second;
    queue.pop();
    ranks[i]->take();
    if (!ranks[i]->ended()) queue.emplace(ranks[i]->next_start(), i);
    if (taken % kCheck != 0) continue;
    std::size_t bytes = 0;  // used by the requests of the ranks
    for (const auto& rank : ranks) bytes += rank->bytes();
    too_much = bytes > memory;
  }
  if (too_much) walk.give_up();
  for (const auto& rank : ranks) rank->finish();

  const bool ended =
      std::all_of(ranks.begin(), ranks.end(), [](const auto& rank) { return rank->finalized(); });
  std::vector<RankEnding> endings;
  for (const auto& rank : ranks) endings.push_back(rank->ending());
  std::vector<MessageFindings> parts = walk.finish(ended, endings);
  MessageFindings& notes = parts.emplace_back();
  notes.followed = ended;
  for (const auto& rank : ranks) rank->add_notes(notes);
  notes.messages = walk.messages;
  return merge_messages(std::move(parts));
}

}  // namespace photofinish
