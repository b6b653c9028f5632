// Theorem 2.2, with happens-before as a matrix: events first, then links. Then its refinement, pair
// by pair.
#include "execution.h"

namespace photofinish::testing {
namespace {

class Matrix {
 public:
  explicit Matrix(const Execution& execution) : execution_(execution) {
    std::size_t count = 0;
    for (const auto& process : execution.processes) {
      first_.push_back(count);
      count += process.size();
    }
    first_link_ = count;
    count += execution.links.size();
    before_.assign(count, std::vector<bool>(count));
    connect();
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < count; ++i)
        if (before_[i][k])
          for (std::size_t j = 0; j < count; ++j)
            if (before_[k][j]) before_[i][j] = true;
  }

  bool before(const Link& link, Ref event) const { return before_[index(link)][index(event)]; }
  bool before(const Link& one, const Link& other) const {
    return before_[index(one)][index(other)];
  }

 private:
  std::size_t index(Ref ref) const {
    return first_[static_cast<std::size_t>(ref.process)] + static_cast<std::size_t>(ref.event);
  }
  std::size_t index(const Link& link) const {
    return first_link_ + static_cast<std::size_t>(&link - execution_.links.data());
  }
  int length(int process) const {
    return static_cast<int>(execution_.processes[static_cast<std::size_t>(process)].size());
  }

  void connect() {
    for (int p = 0; p < execution_.size(); ++p)
      for (int e = 0; e < length(p); ++e) {
        const bool followed = e + 1 < length(p);
        const Ref next{p, e + 1};
        if (followed) before_[index({p, e})][index(next)] = true;
        const Call& call = execution_.call({p, e});
        if (!followed) continue;
        for (const Link& link : execution_.links) {
          const bool ends = (call.kind == Kind::WaitReceive && link.receive == Ref{p, call.of}) ||
                            ((call.kind == Kind::Probe || call.kind == Kind::Lock) &&
                             link.receive == Ref{p, e}) ||
                            (call.kind == Kind::WaitSend && link.kind == LinkKind::Match &&
                             link.send == Ref{p, call.of} &&
                             execution_.call(*link.send).mode == SendMode::Synchronous) ||
                            (call.kind == Kind::WaitSend && link.receive == Ref{p, call.of});
          if (ends) before_[index(link)][index(next)] = true;
        }
        if (call.kind == Kind::Acquire)
          for (int q = 0; q < execution_.size(); ++q)
            for (int s = 0; s < length(q); ++s)
              if (execution_.call({q, s}).kind == Kind::Release &&
                  execution_.call({q, s}).key == call.key)
                before_[index({q, s})][index(next)] = true;
      }
    for (const Link& link : execution_.links) {
      if (link.send) before_[index(*link.send)][index(link)] = true;
      before_[index(link.kind == LinkKind::Cancelled ? link.cancel : link.receive)][index(link)] =
          true;
      for (const Link& other : execution_.links) {
        if (must_come_first(link, other)) before_[index(link)][index(other)] = true;
        if (link.kind == LinkKind::Granted && other.kind == LinkKind::Granted && &other < &link &&
            execution_.excludes(link.receive, other.receive))
          before_[index(*execution_.unlock_of(other.receive))][index(link)] = true;
      }
    }
  }

  // R_m. A probe takes no message; a cancelled operation still stops blocking later ones.
  bool must_come_first(const Link& one, const Link& other) const {
    if (one.kind == LinkKind::Saw || one.kind == LinkKind::Granted || !other.send) return false;
    if (execution_.call(one.receive).kind ==
        Kind::Send)  // cancelled: it no longer blocks later ones
      return one.receive.process == other.send->process && one.receive < *other.send &&
             execution_.fits(one.receive, other.receive);
    const bool same_inbox = one.receive.process == other.receive.process;
    if (same_inbox && one.receive < other.receive && execution_.fits(*other.send, one.receive))
      return true;
    return one.send && one.send->process == other.send->process && *one.send < *other.send &&
           execution_.fits(*one.send, other.receive);
  }

  const Execution& execution_;
  std::vector<std::size_t> first_;
  std::size_t first_link_ = 0;
  std::vector<std::vector<bool>> before_;
};

}  // namespace

Closure close(const Execution& execution) {
  const Matrix matrix(execution);
  Closure closure;
  for (const Link& link : execution.links) {
    if (link.kind == LinkKind::Granted || execution.call(link.receive).kind == Kind::Send) continue;
    const Ref receive = link.receive;
    for (int p = 0; p < execution.size(); ++p)
      for (int e = 0; e < static_cast<int>(execution.processes[static_cast<std::size_t>(p)].size());
           ++e) {
        const Ref send{p, e};
        if (!execution.fits(send, receive) || execution.is_cancelled(send) ||
            (link.send && link.send->process == p) || matrix.before(link, send))
          continue;
        const Link* const taken = execution.taken(send);
        if (taken != nullptr && taken->receive < receive) continue;
        closure.conflicts.insert({receive, send});
        bool possible = true;
        for (int i = 0; i < e; ++i) {  // earlier sends of that process must be matched
          if (!execution.fits({p, i}, receive)) continue;
          const Link* const match = execution.taken({p, i});
          possible = possible && match != nullptr && !matrix.before(link, *match) && match != &link;
        }
        for (int i = 0; i < receive.event; ++i) {  // and earlier receives
          const Ref earlier{receive.process, i};
          if (execution.call(earlier).kind != Kind::Receive || !execution.fits(send, earlier))
            continue;
          const Link* const match = execution.link_of(earlier);
          possible = possible && match != nullptr && !matrix.before(link, *match);
        }
        if (possible) closure.pairs.insert({receive, send});
      }
  }
  return closure;
}

}  // namespace photofinish::testing
