// The formal definition: visits every state that the execution could have gone through, and
// collects the matches possible there.
#include <unordered_set>

#include "execution.h"

namespace photofinish::testing {

std::optional<std::set<Pair>> explore(const Execution& execution, std::size_t most_states) {
  std::vector<Ref> sends;
  for (int p = 0; p < execution.size(); ++p)
    for (int e = 0; e < static_cast<int>(execution.processes[static_cast<std::size_t>(p)].size());
         ++e)
      if (execution.call({p, e}).kind == Kind::Send && !execution.is_cancelled({p, e}))
        sends.push_back({p, e});
  std::set<Pair> pairs;
  std::unordered_set<std::string> seen;
  std::vector<State> left{State(execution)};
  seen.insert(left.back().bytes());
  while (!left.empty()) {
    const State state = left.back();
    left.pop_back();
    for (std::size_t i = 0; i < execution.links.size(); ++i) {
      const Link& link = execution.links[i];
      if (state.linked(i) || !state.begun(link.receive) || link.kind == LinkKind::Granted ||
          execution.call(link.receive).kind == Kind::Send)
        continue;
      for (const Ref& send : sends)
        if (link.send != send && state.begun(send) && state.may_meet(send, link.receive))
          pairs.insert({link.receive, send});
    }
    const auto go = [&](State next) {
      if (seen.insert(next.bytes()).second) left.push_back(next);
    };
    for (int p = 0; p < execution.size(); ++p)
      if (state.can_begin(p)) {
        State next = state;
        next.begin(p);
        go(next);
      }
    for (std::size_t i = 0; i < execution.links.size(); ++i)
      if (state.can_link(i)) {
        State next = state;
        next.link(i);
        go(next);
      }
    if (seen.size() > most_states) return std::nullopt;
  }
  return pairs;
}

}  // namespace photofinish::testing
