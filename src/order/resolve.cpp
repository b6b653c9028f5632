#include "order/resolve.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "order/keys.h"

namespace photofinish {
namespace {

using Clock = std::vector<Moment>;  // by task of the slice; 0: nothing, else 1 + the moment

void join(Clock& clock, const Clock& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

// All who say one key, in the order of their places.
struct Said {
  struct One {
    std::uint64_t place;
    std::size_t task;
    std::size_t signal;  // of the task's
    bool done = false;
    Clock clock;
  };
  std::vector<One> all;
  std::size_t first_pending = 0;  // all before it have been said
  // The join of all up to a place: asked for in rising order it is made once.
  Clock sum;
  std::size_t summed = 0;
};

class Walk {
 public:
  Walk(std::vector<SliceSignals> ranks, const std::vector<Question>& questions)
      : questions_(questions) {
    std::sort(ranks.begin(), ranks.end(),
              [](const auto& a, const auto& b) { return a.rank < b.rank; });
    for (SliceSignals& slice : ranks)
      for (Signal& signal : slice.signals)
        task(slice.rank, task_of(signal.moment)).signals.push_back(std::move(signal));
    // Those who neither say nor hear anything are known by what others of their rank know of them.
    for (const Question& question : questions) task(question.about, question.task);
    for (const auto& [who, at] : index_)
      if (who.second != 0) has_tasks_.insert(who.first);
  }

  std::vector<Moment> run() {
    prepare();
    while (advance_all(false) || advance_all(true)) {
    }
    answer_late();
    return std::move(answers_);
  }

 private:
  struct Task {
    WorldRank rank;
    std::vector<Signal> signals;
    std::size_t next = 0;  // signal
    std::size_t next_question = 0;
    std::vector<std::size_t> questions;  // by moment
    std::vector<std::size_t> position;   // of each of its signals among all who say the key
    Clock clock;
    // Of ranks with several tasks: what it had heard from other ranks from each moment on.
    std::vector<std::pair<Moment, Clock>> history;
  };

  Task& task(WorldRank rank, std::uint32_t number) {
    const auto [found, fresh] = index_.try_emplace({rank, number}, tasks_.size());
    if (fresh) tasks_.push_back({.rank = rank});
    return tasks_[found->second];
  }
  std::size_t find(WorldRank rank, std::uint32_t number) const {
    const auto found = index_.find({rank, number});
    return found != index_.end() ? found->second : tasks_.size();
  }

  void prepare() {
    for (Task& task : tasks_) {
      task.clock.assign(tasks_.size(), 0);
      std::stable_sort(task.signals.begin(), task.signals.end(),
                       [](const Signal& a, const Signal& b) { return a.moment < b.moment; });
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const std::vector<Signal>& signals = tasks_[i].signals;
      tasks_[i].position.resize(signals.size());
      for (std::size_t s = 0; s < signals.size(); ++s)
        if (!signals[s].hears)
          said_[signals[s].key].all.push_back({signals[s].place, i, s, false, {}});
    }
    for (auto& [key, said] : said_) {
      std::stable_sort(said.all.begin(), said.all.end(),
                       [](const auto& a, const auto& b) { return a.place < b.place; });
      for (std::size_t at = 0; at < said.all.size(); ++at)
        tasks_[said.all[at].task].position[said.all[at].signal] = at;
    }
    answers_.assign(questions_.size(), kNever);
    for (std::size_t q = 0; q < questions_.size(); ++q) {
      const std::size_t asker = find(questions_[q].rank, task_of(questions_[q].moment));
      if (asker != tasks_.size() && !has_tasks_.contains(questions_[q].rank))
        tasks_[asker].questions.push_back(q);
    }
    for (Task& task : tasks_)
      std::sort(task.questions.begin(), task.questions.end(), [&](std::size_t a, std::size_t b) {
        return questions_[a].moment < questions_[b].moment;
      });
  }

  // Each task as far as it gets. `forced`: the first that waits for a guess, or else the first that
  // waits at all, goes on without. False when all are at their ends.
  bool advance_all(bool forced) {
    bool moved = false;
    if (forced) {
      std::size_t chosen = tasks_.size();
      for (std::size_t i = 0; i < tasks_.size(); ++i) {
        if (is_done(tasks_[i])) continue;
        const bool guess = is_guess(tasks_[i].signals[tasks_[i].next]);
        if (chosen == tasks_.size() || guess) chosen = i;
        if (guess) break;
      }
      if (chosen == tasks_.size()) return false;
      step(chosen);
      return true;
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      while (!is_done(tasks_[i]) && ready(i, tasks_[i].signals[tasks_[i].next])) {
        step(i);
        moved = true;
      }
      if (is_done(tasks_[i])) answer(i, kNever);
    }
    return moved;
  }
  static bool is_done(const Task& task) { return task.next == task.signals.size(); }

  // What a task of a rank with several knows at a moment, beside what it has heard itself: the
  // others of its rank, and what they had heard.
  void join_rank(Clock& clock, WorldRank rank, std::uint32_t self, const Knowledge& known) const {
    if (known == nullptr) return;
    for (std::uint32_t other = 0; other < known->size(); ++other) {
      const Moment until = (*known)[other];
      const std::size_t at = until == 0 || other == self ? tasks_.size() : find(rank, other);
      if (at == tasks_.size()) continue;
      join_history(clock, tasks_[at], until);
      clock[at] = std::max(clock[at], until);
    }
  }
  static void join_history(Clock& clock, const Task& task, Moment until) {
    const auto later = std::partition_point(task.history.begin(), task.history.end(),
                                            [&](const auto& entry) { return entry.first < until; });
    if (later != task.history.begin()) join(clock, std::prev(later)->second);
  }
  // Whether they have come so far.
  bool has_come(const Signal& signal, std::size_t self) const {
    if (signal.known == nullptr) return true;
    for (std::uint32_t other = 0; other < signal.known->size(); ++other) {
      const std::size_t at = find(tasks_[self].rank, other);
      if (at == tasks_.size() || at == self || is_done(tasks_[at])) continue;
      if (tasks_[at].signals[tasks_[at].next].moment < (*signal.known)[other]) return false;
    }
    return true;
  }

  // The receive of a synchronous send that nobody has told of may be one that does not know its
  // message yet: too much order hides a race, too little invents one.
  std::unordered_map<std::uint64_t, Said>::iterator find_said(std::uint64_t key) {
    const auto found = said_.find(key);
    return found == said_.end() && is_rendezvous(key) ? said_.find(unsettled_key()) : found;
  }

  bool is_guess(const Signal& signal) const {
    return signal.guessed ||
           (signal.hears && is_rendezvous(signal.key) && said_.find(signal.key) == said_.end());
  }

  bool ready(std::size_t i, const Signal& signal) {
    if (!signal.hears) return has_come(signal, i);
    const auto found = find_said(signal.key);
    if (found == said_.end()) return true;
    const Said& said = found->second;
    return said.first_pending == said.all.size() ||
           said.all[said.first_pending].place >= signal.place;
  }

  void step(std::size_t i) {
    Task& task = tasks_[i];
    const Signal& signal = task.signals[task.next++];
    answer(i, signal.moment);
    task.clock[i] = signal.moment + 1;
    if (!signal.hears) return say(task, signal);
    hear(task, signal);
    if (has_tasks_.contains(task.rank)) task.history.emplace_back(signal.moment, task.clock);
  }

  void say(const Task& task, const Signal& signal) {
    Said& said = said_.find(signal.key)->second;
    Said::One& one = said.all[task.position[task.next - 1]];
    one.done = true;
    one.clock = task.clock;
    join_rank(one.clock, task.rank, task_of(signal.moment), signal.known);
    while (said.first_pending < said.all.size() && said.all[said.first_pending].done)
      ++said.first_pending;
  }

  void hear(Task& task, const Signal& signal) {
    const auto found = find_said(signal.key);
    if (found == said_.end()) return;
    Said& said = found->second;
    if (said.summed > 0 &&
        said.all[said.summed - 1].place >= signal.place) {  // asked for a lower place: rare
      said.summed = 0;
      said.sum.clear();
    }
    if (said.sum.empty()) said.sum.assign(tasks_.size(), 0);
    std::size_t at = said.summed;
    bool whole = true;
    for (; at < said.all.size() && said.all[at].place < signal.place; ++at) {
      if (!said.all[at].done) {  // forced past it
        whole = false;
        continue;
      }
      if (whole) {
        join(said.sum, said.all[at].clock);
        said.summed = at + 1;
      } else {
        join(task.clock, said.all[at].clock);
      }
    }
    join(task.clock, said.sum);
  }

  // What is heard at a moment is known at that moment.
  void answer(std::size_t i, Moment until) {
    Task& task = tasks_[i];
    for (; task.next_question < task.questions.size(); ++task.next_question) {
      const std::size_t number = task.questions[task.next_question];
      const Question& question = questions_[number];
      if (question.moment >= until) break;
      set_answer(number, task.clock);
    }
  }
  // Those that ranks with several tasks ask: when it is known what each of them had heard.
  void answer_late() {
    for (std::size_t q = 0; q < questions_.size(); ++q) {
      const Question& question = questions_[q];
      if (!has_tasks_.contains(question.rank)) continue;
      Clock clock(tasks_.size(), 0);
      if (const std::size_t at = find(question.rank, task_of(question.moment)); at < tasks_.size())
        join_history(clock, tasks_[at], question.moment + 1);
      join_rank(clock, question.rank, task_of(question.moment), question.known);
      set_answer(q, clock);
    }
  }
  void set_answer(std::size_t number, const Clock& clock) {
    const std::size_t about = find(questions_[number].about, questions_[number].task);
    if (about < tasks_.size() && clock[about] != 0) answers_[number] = clock[about] - 1;
  }

  const std::vector<Question>& questions_;
  std::vector<Task> tasks_;
  std::map<std::pair<WorldRank, std::uint32_t>, std::size_t> index_;
  std::set<WorldRank> has_tasks_;  // beside the first
  std::unordered_map<std::uint64_t, Said> said_;
  std::vector<Moment> answers_;
};

}  // namespace

std::vector<Moment> resolve(std::vector<SliceSignals> ranks,
                            const std::vector<Question>& questions) {
  return Walk(std::move(ranks), questions).run();
}

}  // namespace photofinish
