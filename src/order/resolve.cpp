#include "order/resolve.h"

#include <algorithm>
#include <unordered_map>

#include "order/keys.h"

namespace photofinish {
namespace {

using Clock = std::vector<Moment>;  // by rank of the slice; 0: nothing, else 1 + the moment

void join(Clock& clock, const Clock& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

// All who say one key, in the order of their places.
struct Said {
  struct One {
    std::uint64_t place;
    std::size_t rank;
    std::size_t signal;  // of the rank's
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
      : ranks_(std::move(ranks)), questions_(questions) {}

  std::vector<Moment> run() {
    prepare();
    while (advance_all(false) || advance_all(true)) {
    }
    return std::move(answers_);
  }

 private:
  struct Rank {
    std::size_t next = 0;  // signal
    std::size_t next_question = 0;
    std::vector<std::size_t> questions;  // by moment
    std::vector<std::size_t> position;   // of each of its signals among all who say the key
    Clock clock;
  };

  void prepare() {
    std::sort(ranks_.begin(), ranks_.end(),
              [](const auto& a, const auto& b) { return a.rank < b.rank; });
    state_.resize(ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      index_[ranks_[i].rank] = i;
      state_[i].clock.assign(ranks_.size(), 0);
      std::stable_sort(ranks_[i].signals.begin(), ranks_[i].signals.end(),
                       [](const Signal& a, const Signal& b) { return a.moment < b.moment; });
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const std::vector<Signal>& signals = ranks_[i].signals;
      state_[i].position.resize(signals.size());
      for (std::size_t s = 0; s < signals.size(); ++s)
        if (!signals[s].hears)
          said_[signals[s].key].all.push_back({signals[s].place, i, s, false, {}});
    }
    for (auto& [key, said] : said_) {
      std::stable_sort(said.all.begin(), said.all.end(),
                       [](const auto& a, const auto& b) { return a.place < b.place; });
      for (std::size_t at = 0; at < said.all.size(); ++at)
        state_[said.all[at].rank].position[said.all[at].signal] = at;
    }
    answers_.assign(questions_.size(), kNever);
    for (std::size_t q = 0; q < questions_.size(); ++q)
      if (const auto found = index_.find(questions_[q].rank); found != index_.end())
        state_[found->second].questions.push_back(q);
    for (Rank& rank : state_)
      std::sort(rank.questions.begin(), rank.questions.end(), [&](std::size_t a, std::size_t b) {
        return questions_[a].moment < questions_[b].moment;
      });
  }

  // Each rank as far as it gets. `forced`: the first that waits for a guess, or else the first that
  // waits at all, goes on without. False when all are at their ends.
  bool advance_all(bool forced) {
    bool moved = false;
    if (forced) {
      std::size_t chosen = state_.size();
      for (std::size_t i = 0; i < state_.size(); ++i) {
        if (state_[i].next == ranks_[i].signals.size()) continue;
        const bool guess = is_guess(ranks_[i].signals[state_[i].next]);
        if (chosen == state_.size() || guess) chosen = i;
        if (guess) break;
      }
      if (chosen == state_.size()) return false;
      step(chosen);
      return true;
    }
    for (std::size_t i = 0; i < state_.size(); ++i) {
      while (state_[i].next < ranks_[i].signals.size() &&
             ready(ranks_[i].signals[state_[i].next])) {
        step(i);
        moved = true;
      }
      if (state_[i].next == ranks_[i].signals.size()) answer(i, kNever);
    }
    return moved;
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

  bool ready(const Signal& signal) {
    if (!signal.hears) return true;
    const auto found = find_said(signal.key);
    if (found == said_.end()) return true;
    const Said& said = found->second;
    return said.first_pending == said.all.size() ||
           said.all[said.first_pending].place >= signal.place;
  }

  void step(std::size_t i) {
    Rank& rank = state_[i];
    const Signal& signal = ranks_[i].signals[rank.next++];
    answer(i, signal.moment);
    rank.clock[i] = signal.moment + 1;
    if (signal.hears)
      hear(rank, signal);
    else
      say(rank, rank.next - 1, signal.key);
  }

  void say(Rank& rank, std::size_t signal, std::uint64_t key) {
    Said& said = said_.find(key)->second;
    Said::One& one = said.all[rank.position[signal]];
    one.done = true;
    one.clock = rank.clock;
    while (said.first_pending < said.all.size() && said.all[said.first_pending].done)
      ++said.first_pending;
  }

  void hear(Rank& rank, const Signal& signal) {
    const auto found = find_said(signal.key);
    if (found == said_.end()) return;
    Said& said = found->second;
    if (said.summed > 0 &&
        said.all[said.summed - 1].place >= signal.place) {  // asked for a lower place: rare
      said.summed = 0;
      said.sum.clear();
    }
    if (said.sum.empty()) said.sum.assign(state_.size(), 0);
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
        join(rank.clock, said.all[at].clock);
      }
    }
    join(rank.clock, said.sum);
  }

  // What is heard at a moment is known at that moment.
  void answer(std::size_t i, Moment until) {
    Rank& rank = state_[i];
    for (; rank.next_question < rank.questions.size(); ++rank.next_question) {
      const Question& question = questions_[rank.questions[rank.next_question]];
      if (question.moment >= until) break;
      const auto about = index_.find(question.about);
      if (about == index_.end()) continue;
      const Moment known = rank.clock[about->second];
      if (known != 0) answers_[rank.questions[rank.next_question]] = known - 1;
    }
  }

  std::vector<SliceSignals> ranks_;
  const std::vector<Question>& questions_;
  std::vector<Rank> state_;
  std::unordered_map<WorldRank, std::size_t> index_;
  std::unordered_map<std::uint64_t, Said> said_;
  std::vector<Moment> answers_;
};

}  // namespace

std::vector<Moment> resolve(std::vector<SliceSignals> ranks,
                            const std::vector<Question>& questions) {
  return Walk(std::move(ranks), questions).run();
}

}  // namespace photofinish
