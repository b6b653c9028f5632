#include "runtime/sampling.h"

#include <algorithm>
#include <utility>

#include "runtime/reach.h"

namespace photofinish {
namespace {

constexpr double kUpdateNs = 200'000;
// Reading the CPU time is a system call, so it is done only for longer calls.
constexpr double kLongNs = 20'000;
constexpr double kStaleNs = 100'000;  // of a count of the CPU time
// No limit during this time, since the startup cost of the tool is not representative.
constexpr double kStartNs = 5'000'000;
constexpr std::uint32_t kCalibrations = 4096;
// A real call also saves registers and misses caches; measurements are in docs/sampling.md.
constexpr double kAroundACall = 5;
constexpr std::uint16_t kMaxChecks = (1 << 15) - 1;
constexpr std::uint32_t kMaxWait = (1 << 16) - 1;

}  // namespace

Sampling* Sampling::instance_ = nullptr;
thread_local Sampling::Task* Sampling::current_ = nullptr;

void Sampling::start(double slowdown, std::uint64_t first_tick, double ns_per_tick) {
  const auto lift = [](bool lifted) {
    if (Reach* reach = Reach::get()) reach->lift(lifted);
  };
  const auto rest = [](bool rests) {
    if (Reach* reach = Reach::get()) reach->rest(rests);
  };
  instance_ = new Sampling(slowdown, first_tick, ns_per_tick, lift, rest, [] {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
  });  // never deleted: lives as long as the process
}

Sampling::Sampling(double slowdown, std::uint64_t first_tick, double ns_per_tick,
                   void (*lift)(bool), void (*rest)(bool), std::uint64_t (*processor_ns)())
    : slowdown_(slowdown),
      first_tick_(first_tick),
      ns_per_tick_(ns_per_tick),
      lift_(lift),
      rest_(rest),
      processor_ns_(processor_ns),
      update_ticks_(static_cast<std::uint64_t>(kUpdateNs / ns_per_tick)),
      long_ticks_(static_cast<std::uint64_t>(kLongNs / ns_per_tick)),
      stale_ticks_(static_cast<std::uint64_t>(kStaleNs / ns_per_tick)),
      budget_(slowdown),
      phases_(ns_per_tick, processor_ns) {
  // Calibrates the cost of a skipped access.
  Task& task = attach();
  photofinish_site site{};
  const std::uint64_t before = ticks();
  for (std::uint32_t i = 0; i < kCalibrations; ++i) {
    site.library[kSiteWord] = std::bit_cast<void*>(State{task.interval, 1, 1, 1});
    skips(site);
  }
  skip_ticks_ = kAroundACall * static_cast<double>(ticks() - before) / kCalibrations;
  task = Task{};
  first_ = &task;
}

Sampling::Task& Sampling::attach() {
  std::lock_guard lock(mutex_);
  current_ = tasks_.emplace_back(new Task);
  current_->random = static_cast<std::uint32_t>(tasks_.size());
  return *current_;
}

void Sampling::check(Task& task, State& state, std::uint32_t least) {
  ++task.checked;
  state.interval = task.interval;
  if (state.checks == 0) ++task.locations;
  if (state.checks < kMaxChecks) ++state.checks;
  const std::uint32_t level =
      std::min<std::uint32_t>(state.checks / kChecksALevel, std::countr_zero(kMaxInterval));
  const std::uint32_t interval = std::max(std::uint32_t{1} << level, least);
  if (interval == 1) {
    state.wait = 0;
    return;
  }
  // From 0 to twice the average. xorshift is sufficient.
  task.random ^= task.random << 13;
  task.random ^= task.random >> 17;
  task.random ^= task.random << 5;
  state.wait = static_cast<std::uint16_t>(std::min(task.random % (2 * interval - 1), kMaxWait));
}

// Tasks share the cores of their rank, or wait for each other, so the one with the largest share of
// tool time determines the rate.
const Sampling::Task* Sampling::dearest() const {
  const auto share = [&](const Task* task) {
    return own_ns(*task) / static_cast<double>(task->run_ns + 1);
  };
  return *std::max_element(tasks_.begin(), tasks_.end(),
                           [&](const Task* a, const Task* b) { return share(a) < share(b); });
}

// Returns the CPU time of the task since the last call.
std::uint64_t Sampling::count(Task& task, std::uint64_t now) {
  const std::uint64_t had = processor_ns_();
  task.counted_tick = now;
  return had - std::exchange(task.counted_ns, had);
}

void Sampling::waited(std::uint64_t since, std::uint64_t now) {
  Task& task = current();
  // Wall-clock time between the last count and the call. Other processes may have used the CPU in
  // it; that is usually little.
  const double before =
      since > task.counted_tick ? static_cast<double>(since - task.counted_tick) * ns_per_tick_ : 0;
  task.run_ns += std::min(count(task, now), static_cast<std::uint64_t>(before));
}

// For a long interval, in which other processes may have used the CPU: limits it to the CPU time of
// the task since it was last counted.
std::uint64_t Sampling::without_others(Task& task, std::uint64_t since, std::uint64_t now) {
  const std::uint64_t had = count(task, now);
  task.run_ns += had;
  return std::min(now - since, static_cast<std::uint64_t>(static_cast<double>(had) / ns_per_tick_));
}

void Sampling::update(std::uint64_t now) {
  Task& task = current();
  task.last_update = now;
  task.run_ns += count(task, now);
  std::lock_guard lock(mutex_);
  const Task& most = *dearest();
  if (static_cast<double>(most.run_ns) < kStartNs) return;
  budget_.update(own_ns(most), static_cast<double>(most.run_ns));
  least_.store(budget_.interval(), std::memory_order_relaxed);
  const bool lift = budget_.interval() == Budget::kNothing;
  if (lift == (lifted_since_ != 0)) return;
  if (!lift) lifted_ += now - lifted_since_;
  lifted_since_ = lift ? now : 0;
  const std::uint64_t before = ticks();
  phases_.spoil();
  lift_(lift);
  current_->checking += ticks() - before;
}

// Of several tasks, each would need its own marks.
void Sampling::begin_phase(std::uint64_t site, std::uint64_t now) {
  if (slowdown_ == 0 || current_ != first_ || tasks_.size() != 1) return;
  resting_ = phases_.begin(site, now, hooks_ns(*first_), lifted_since_ != 0);
  if (resting_) rest_(true);
}

void Sampling::end_phase(std::uint64_t now) {
  if (current_ != first_) return;
  if (std::exchange(resting_, false)) rest_(false);
  if (tasks_.size() != 1) phases_.spoil();
  phases_.end(now, hooks_ns(*first_));
}

SamplingDefinition Sampling::summary(std::uint64_t now) {
  Task& task = current();
  task.run_ns += count(task, now);
  const auto ns = [&](std::uint64_t ticks) {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) * ns_per_tick_);
  };
  std::lock_guard lock(mutex_);
  SamplingDefinition all{.id = SamplingId(1), .slowdown = slowdown_};
  for (const Task* one : tasks_) {
    all.checked += one->checked;
    all.skipped += one->skipped;
    all.locations += one->locations;
    all.thinned += one->thinned;
  }
  const Task& most = *dearest();
  all.own_ns = static_cast<std::uint64_t>(own_ns(most));
  all.recording_ns = ns(most.recording);
  if (&most == first_) {
    all.tests_ns = static_cast<std::uint64_t>(phases_.tests_ns());
    all.compared_ns = static_cast<std::uint64_t>(phases_.compared_ns());
  }
  all.run_ns = most.run_ns;
  all.lifted_ns = ns(lifted_ + (lifted_since_ != 0 ? now - lifted_since_ : 0));
  all.wall_ns = ns(now - first_tick_);
  return all;
}

}  // namespace photofinish
