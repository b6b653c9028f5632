#include "explore/execution.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace photofinish {

bool follows(const Matching& run, const Matching& prescribed) {
  for (const auto& [line, wanted] : prescribed) {
    const auto got = run.find(line);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].source == kAnySource) continue;
      if (got == run.end() || i >= got->second.size() || got->second[i] != wanted[i]) return false;
    }
  }
  return true;
}

bool exclude_each_other(const Matching& one, const Matching& other) {
  for (const auto& [line, wanted] : one) {
    const auto found = other.find(line);
    if (found == other.end()) continue;
    for (std::size_t i = 0; i < std::min(wanted.size(), found->second.size()); ++i)
      if (wanted[i].source != kAnySource && found->second[i].source != kAnySource &&
          wanted[i] != found->second[i])
        return true;
  }
  return false;
}

namespace {

using Kind = MessageStep::Kind;

// A step of a process; the clock of another step knows it if it happens before.
struct Position {
  std::size_t process = 0, step = 0;
};
constexpr std::size_t kNone = ~std::size_t{0};

struct Sent {
  Position at;
  std::int64_t tag = 0;
  bool synchronous = false;
  std::optional<Position> complete;
  std::size_t receiver = kNone;  // index of the receive that took it
};

struct Taken {  // a receive or probe
  Position posted;
  std::optional<Position> complete;
  Uid comm;
  Wanted wanted;
  std::size_t message = kNone;  // that it took or saw
  bool probe = false, cancelled = false;
  std::size_t choice = kNone;     // index on its line
  std::vector<std::size_t> open;  // receives posted before it, and not complete then
};

class Analysis {
 public:
  explicit Analysis(const Execution& execution) : execution_(execution) {
    collect();
    connect();
    compute_clocks();
  }

  Choices choices() {
    Choices result;
    for (const Taken& taken : receives_) {
      if (taken.choice == kNone) continue;
      const Line line = execution_.processes[taken.posted.process].line;
      result.matching[line].push_back(match_of(taken));
      result.steps[line].push_back({taken.posted.process, taken.posted.step});
    }
    for (std::size_t e = 0; e < receives_.size(); ++e) {
      if (receives_[e].choice == kNone || receives_[e].message == kNone) continue;
      const std::size_t before = result.alternatives.size();
      find_alternatives(e, result.alternatives);
      result.estimate *= static_cast<double>(result.alternatives.size() - before + 1);
    }
    return result;
  }

 private:
  using Roots = std::vector<Position>;

  const MessageStep& step(Position at) const {
    return execution_.processes[at.process].steps[at.step];
  }

  void collect() {
    for (std::size_t p = 0; p < execution_.processes.size(); ++p) {
      std::unordered_map<std::uint64_t, std::size_t> sends, receives;  // by operation
      std::size_t choices = 0;
      const std::vector<MessageStep>& steps = execution_.processes[p].steps;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const MessageStep& step = steps[i];
        switch (step.kind) {
          case Kind::Send:
            sends[step.operation] = messages_.size();
            by_key_[step.key] = messages_.size();
            channels_[{step.comm, p, static_cast<std::size_t>(step.peer.value)}].push_back(
                messages_.size());
            messages_.push_back(
                {{p, i}, step.tag, step.mode == SendMode::Synchronous, std::nullopt, kNone});
            break;
          case Kind::CompleteSend:
            if (const auto found = sends.find(step.operation);
                found != sends.end() && step.returned)
              messages_[found->second].complete = Position{p, i};
            break;
          case Kind::Receive:
          case Kind::Probe: {
            Taken taken;
            taken.posted = {p, i};
            taken.comm = step.comm;
            taken.wanted = {step.peer, step.tag, step.refused};
            taken.probe = step.kind == Kind::Probe;
            if (taken.probe) taken.complete = Position{p, i};
            if (step.peer == kAnySource) taken.choice = choices++;
            receives[step.operation] = receives_.size();
            receives_.push_back(taken);
            break;
          }
          case Kind::CompleteReceive:
            if (const auto found = receives.find(step.operation);
                found != receives.end() && step.returned)
              receives_[found->second].complete = Position{p, i};
            break;
          case Kind::Cancel:
            if (const auto found = receives.find(step.operation);
                found != receives.end() && step.carries)
              receives_[found->second].cancelled = true;
            break;
          case Kind::Release:
            released_[step.key].push_back({p, i});
            break;
          default:
            break;
        }
      }
    }
  }

  void connect() {
    for (std::size_t r = 0; r < receives_.size(); ++r) {
      Taken& taken = receives_[r];
      const auto found = by_key_.find(step(taken.posted).key);
      if (step(taken.posted).key == 0 || found == by_key_.end() || taken.cancelled) continue;
      taken.message = found->second;
      if (!taken.probe) messages_[taken.message].receiver = r;
    }
    std::vector<std::size_t> open;  // of the current process
    for (std::size_t r = 0; r < receives_.size(); ++r) {
      Taken& taken = receives_[r];
      std::erase_if(open, [&](std::size_t j) {
        const Taken& earlier = receives_[j];
        return earlier.posted.process != taken.posted.process ||
               (earlier.complete && earlier.complete->step < taken.posted.step);
      });
      for (const std::size_t j : open)
        if (receives_[j].comm == taken.comm) taken.open.push_back(j);
      any_open_ |= !taken.open.empty();
      if (!taken.probe && !taken.cancelled) open.push_back(r);
      if (taken.message == kNone) continue;
      if (taken.complete) follows_[index(*taken.complete)].push_back(messages_[taken.message].at);
      const Sent& sent = messages_[taken.message];
      if (sent.synchronous && sent.complete && !taken.probe)
        follows_[index(*sent.complete)].push_back(taken.posted);
    }
    for (std::size_t p = 0; p < execution_.processes.size(); ++p)
      for (std::size_t i = 0; i < execution_.processes[p].steps.size(); ++i)
        if (const MessageStep& step = execution_.processes[p].steps[i];
            step.kind == Kind::Acquire && step.returned && step.carries)
          if (const auto found = released_.find(step.key); found != released_.end())
            for (const Position& release : found->second)
              follows_[index({p, i})].push_back(release);
  }

  // A step is done when all that it follows are. A run happened, so that some step always is
  // possible; damaged traces may lack one, and then it is left out.
  void compute_clocks() {
    const std::size_t size = execution_.processes.size();
    clocks_.resize(size);
    std::vector<std::size_t> done(size, 0);
    for (std::size_t p = 0; p < size; ++p)
      clocks_[p].assign(execution_.processes[p].steps.size() * size, 0);
    bool forced = false;
    while (true) {
      bool progress = false, left = false;
      for (std::size_t p = 0; p < size; ++p)
        while (done[p] < execution_.processes[p].steps.size()) {
          const Position at{p, done[p]};
          const auto found = follows_.find(index(at));
          const bool ready =
              forced || found == follows_.end() ||
              std::all_of(found->second.begin(), found->second.end(), [&](const Position& earlier) {
                return earlier.step < done[earlier.process];
              });
          if (!ready) {
            left = true;
            break;
          }
          forced = false;
          std::uint32_t* const clock = clock_of(at);
          if (at.step > 0) std::copy_n(clock - size, size, clock);
          if (found != follows_.end())
            for (const Position& earlier : found->second)
              if (earlier.step < done[earlier.process])
                for (std::size_t q = 0; q < size; ++q)
                  clock[q] = std::max(clock[q], clock_of(earlier)[q]);
          clock[p] = static_cast<std::uint32_t>(++done[p]);
          progress = true;
        }
      if (!left) return;
      forced = !progress;
    }
  }

  std::uint32_t* clock_of(Position at) {
    return clocks_[at.process].data() + at.step * execution_.processes.size();
  }
  const std::uint32_t* clock_of(Position at) const {
    return clocks_[at.process].data() + at.step * execution_.processes.size();
  }
  std::uint64_t index(Position at) const {
    return static_cast<std::uint64_t>(at.process) << 40 | at.step;
  }

  bool is_after(Position at, const Roots& roots) const {
    return std::any_of(roots.begin(), roots.end(), [&](const Position& root) {
      return clock_of(at)[root.process] > root.step;
    });
  }
  // A probe is posted and complete in one step: what it follows is known from the step before.
  bool post_is_after(const Taken& taken, const Roots& roots) const {
    if (!taken.probe) return is_after(taken.posted, roots);
    return taken.posted.step > 0 && is_after({taken.posted.process, taken.posted.step - 1}, roots);
  }
  bool match_is_after(const Taken& taken, const Roots& roots) const {
    return post_is_after(taken, roots) ||
           (taken.message != kNone && is_after(messages_[taken.message].at, roots));
  }
  // What is ordered after the match of a receive: its completion, and that of a synchronous send.
  void add_roots(const Taken& taken, Roots& roots) const {
    if (taken.complete) roots.push_back(*taken.complete);
    if (taken.message == kNone || taken.probe) return;
    const Sent& sent = messages_[taken.message];
    if (sent.synchronous && sent.complete) roots.push_back(*sent.complete);
  }
  bool accepts(const Taken& taken, const Sent& sent) const {
    return taken.wanted.takes(WorldRank(static_cast<std::int32_t>(sent.at.process)), sent.tag);
  }
  static bool is_before(const Taken& one, const Taken& other) {
    return one.posted.step < other.posted.step;  // of one process
  }

  Match match_of(const Taken& taken) const {
    if (taken.message == kNone) return {kProcNull, kAnyTag};
    const Sent& sent = messages_[taken.message];
    return {WorldRank(static_cast<std::int32_t>(sent.at.process)), sent.tag};
  }

  // The matches that still happen if those in `dropped` do not: all that are not ordered after one
  // of them. MPI adds order without data flow: a message goes to the first posted receive that
  // accepts it, and a receive takes the first message of its source. So a match needs those of
  // earlier receives that would take its message, or took an earlier message of its source.
  struct Kept {
    std::vector<char> receives;
    Roots roots;  // steps that do not happen, at first
  };
  // `taken_away`: the message that the first of them takes instead.
  Kept kept_without(std::initializer_list<std::size_t> dropped,
                    std::size_t taken_away = kNone) const {
    Kept kept{std::vector<char>(receives_.size(), 1), {}};
    const auto drop = [&](std::size_t r) {
      kept.receives[r] = 0;
      add_roots(receives_[r], kept.roots);
    };
    for (const std::size_t r : dropped)
      if (r != kNone) drop(r);
    for (bool changed = true; std::exchange(changed, false);)
      for (std::size_t r = 0; r < receives_.size(); ++r) {
        if (kept.receives[r] == 0) continue;
        const Taken& taken = receives_[r];
        if (taken.message == kNone || match_is_after(taken, kept.roots)) {
          kept.receives[r] = 0;
          changed = true;
        } else if (!allows(kept, taken, messages_[taken.message], dropped) ||
                   (taken.message == taken_away && is_open(*dropped.begin(), taken))) {
          drop(r);
          changed = true;
        }
      }
    return kept;
  }
  static bool is_open(std::size_t receive, const Taken& at) {
    return std::find(at.open.begin(), at.open.end(), receive) != at.open.end();
  }
  // Whether the receive takes that message, given the matches of earlier receives. `matched`: takes
  // another one, and so is out of the way.
  bool allows(const Kept& kept, const Taken& taken, const Sent& sent,
              std::initializer_list<std::size_t> matched) const {
    return std::all_of(taken.open.begin(), taken.open.end(), [&](std::size_t j) {
      const Taken& earlier = receives_[j];
      if (kept.receives[j] != 0) return true;
      const bool is_first = matched.size() > 0 && *matched.begin() == j;
      if (accepts(earlier, sent) && !is_first) return false;
      if (earlier.message == kNone) return true;
      const Sent& its = messages_[earlier.message];
      return its.at.process != sent.at.process || its.at.step > sent.at.step ||
             !accepts(taken, its);
    });
  }

  // The steps that the match of a receive precedes: after its completion, and after matches of
  // later receives with messages that it would have taken.
  Roots after_match(std::size_t e) const {
    Roots roots;
    add_roots(receives_[e], roots);
    if (!any_open_) return roots;
    std::vector<char> later(receives_.size(), 0);
    later[e] = 1;
    for (bool changed = true; std::exchange(changed, false);)
      for (std::size_t r = 0; r < receives_.size(); ++r) {
        const Taken& taken = receives_[r];
        if (later[r] != 0 || taken.message == kNone) continue;
        const Sent& sent = messages_[taken.message];
        if (!match_is_after(taken, roots) &&
            std::none_of(taken.open.begin(), taken.open.end(), [&](std::size_t j) {
              return later[j] != 0 && accepts(receives_[j], sent);
            }))
          continue;
        later[r] = 1;
        add_roots(taken, roots);
        changed = true;
      }
    return roots;
  }

  void find_alternatives(std::size_t e, std::vector<Alternative>& alternatives) const {
    const Taken& receive = receives_[e];
    const Kept without = kept_without({e});
    const Roots after = after_match(e);
    for (std::size_t q = 0; q < execution_.processes.size(); ++q) {
      const auto channel = channels_.find({receive.comm, q, receive.posted.process});
      if (channel == channels_.end()) continue;
      for (const std::size_t s : channel->second) {
        const Sent& sent = messages_[s];
        if (!accepts(receive, sent)) continue;
        if (s == receive.message || is_after(sent.at, after)) break;
        const std::size_t f = sent.receiver;
        if (f != kNone && is_before(receives_[f], receive)) {
          if (without.receives[f] != 0) continue;  // it is gone by then
          break;                                   // an earlier receive waits for it
        }
        const Kept kept = kept_without({e, f}, s);
        if (!post_is_after(receive, kept.roots) && !is_after(sent.at, kept.roots) &&
            allows(kept, receive, sent, {}))
          alternatives.push_back(alternative_of(e, sent, kept));
        break;
      }
    }
  }

  Alternative alternative_of(std::size_t e, const Sent& sent, const Kept& kept) const {
    Alternative alternative;
    alternative.line = execution_.processes[receives_[e].posted.process].line;
    alternative.index = receives_[e].choice;
    alternative.match = {WorldRank(static_cast<std::int32_t>(sent.at.process)), sent.tag};
    const auto prescribe = [&](const Taken& taken, Match match) {
      std::vector<Match>& matches =
          alternative.prescribed[execution_.processes[taken.posted.process].line];
      if (matches.size() <= taken.choice) matches.resize(taken.choice + 1);
      matches[taken.choice] = match;
    };
    for (std::size_t r = 0; r < receives_.size(); ++r)
      if (receives_[r].choice != kNone && kept.receives[r] != 0)
        prescribe(receives_[r], match_of(receives_[r]));
    prescribe(receives_[e], alternative.match);
    return alternative;
  }

  const Execution& execution_;
  std::vector<Sent> messages_;
  std::vector<Taken> receives_;
  bool any_open_ = false;  // some receive was posted while another one was incomplete
  std::unordered_map<MessageKey, std::size_t> by_key_;
  std::map<std::tuple<Uid, std::size_t, std::size_t>, std::vector<std::size_t>>
      channels_;  // messages by communicator, source and destination
  std::unordered_map<std::uint64_t, std::vector<Position>> released_;
  std::unordered_map<std::uint64_t, std::vector<Position>> follows_;  // of a step: what it awaited
  std::vector<std::vector<std::uint32_t>> clocks_;  // of each step: steps known of each process
};

}  // namespace

Choices choices_of(const Execution& execution) { return Analysis(execution).choices(); }

}  // namespace photofinish
