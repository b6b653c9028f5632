#include "tasks.h"

#include <random>

namespace photofinish::testing {
namespace {

Event plain(const Event& event) {
  Event copy = event;
  copy.fields.clear();
  event.fields.each(~std::uint64_t{0}, [&](Field field, std::int64_t value) {
    if (field != Field::atomic && field != Field::operand && field != Field::compare)
      copy.fields.set(field, value);
  });
  copy.numbers.clear();
  return copy;
}

class Dealer {
 public:
  Dealer(const Execution::Rank& rank, std::mt19937& random)
      : old_(rank), random_(random), made_{rank.definitions, {}} {}

  Execution::Rank deal() {
    const std::size_t events = old_.events.size();
    const std::size_t first = one_in(2) ? 0 : random_() % (events + 1);
    for (std::size_t i = 0; i < first; ++i) made_.events.push_back(plain(old_.events[i]));
    const std::uint32_t tasks = 2 + static_cast<std::uint32_t>(random_() % 2);
    for (std::uint32_t task = 1; task < tasks; ++task) {
      made_.definitions.add(TaskDefinition{TaskId(task)});
      synchronize(Call::task_release, 0, kStart + task);
      synchronize(Call::task_acquire, task, kStart + task);
    }
    made_.definitions.add(TaskDefinition{TaskId(0)});
    const unsigned switches = 2 + random_() % 4, hand_overs = 1 + random_() % 3;
    std::uint32_t now = 0;
    for (std::size_t i = first; i < events; ++i) {
      if (one_in(switches)) {
        const auto next = static_cast<std::uint32_t>(random_() % tasks);
        if (!one_in(hand_overs)) {
          synchronize(Call::task_release, now, kHandOver);
          synchronize(Call::task_acquire, next, kHandOver);
        }
        now = next;
      }
      if (one_in(6))
        synchronize(one_in(2) ? Call::task_release : Call::task_acquire, now,
                    static_cast<std::int64_t>(random_() % 2));
      number(made_.events.emplace_back(plain(old_.events[i])), now);
    }
    return std::move(made_);
  }

 private:
  static constexpr std::int64_t kHandOver = 10, kStart = 100;

  bool one_in(unsigned count) { return random_() % count == 0; }

  void number(Event& event, std::uint32_t task) {
    event.task = TaskId(task);
    event.fields.set(Field::order, ++order_);
    event.fields.set(Field::order_at_start, order_);
  }

  void synchronize(Call call, std::uint32_t task, std::int64_t key) {
    Event& event = made_.events.emplace_back();
    event.call = call;
    event.returned = true;
    event.result = 0;
    event.fields.set(Field::key, key);
    number(event, task);
  }

  const Execution::Rank& old_;
  std::mt19937& random_;
  Execution::Rank made_;
  std::int64_t order_ = 0;
};

}  // namespace

Execution with_tasks(const Execution& execution, std::uint32_t seed) {
  std::mt19937 random(seed);
  Execution made{{}, execution.options};
  for (const Execution::Rank& rank : execution.ranks) {
    if (random() % 4 != 0) {
      made.ranks.push_back(Dealer(rank, random).deal());
      continue;
    }
    made.ranks.push_back({rank.definitions, {}});
    for (const Event& event : rank.events) made.ranks.back().events.push_back(plain(event));
  }
  return made;
}

}  // namespace photofinish::testing
