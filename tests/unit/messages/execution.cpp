#include "execution.h"

#include <algorithm>
#include <sstream>

namespace photofinish::testing {

bool Execution::fits(Ref send, Ref receive) const {
  const Call& s = call(send);
  const Call& r = call(receive);
  return s.kind == Kind::Send && s.comm == r.comm && s.peer == receive.process &&
         (r.peer == -1 || r.peer == send.process) && (r.tag == -1 || r.tag == s.tag);
}

const Link* Execution::taken(Ref send) const {
  for (const Link& link : links)
    if ((link.kind == LinkKind::Match && link.send == send) ||
        (link.kind == LinkKind::Cancelled && link.receive == send))
      return &link;
  return nullptr;
}

bool Execution::is_cancelled(Ref send) const {
  const Link* const link = taken(send);
  return link != nullptr && link->kind == LinkKind::Cancelled;
}

const Link* Execution::link_of(Ref receive) const {
  for (const Link& link : links)
    if (link.receive == receive) return &link;
  return nullptr;
}

std::optional<Ref> Execution::unlock_of(Ref lock) const {
  const auto& calls = processes[static_cast<std::size_t>(lock.process)];
  for (int e = lock.event + 1; e < static_cast<int>(calls.size()); ++e)
    if (calls[static_cast<std::size_t>(e)].kind == Kind::Unlock &&
        calls[static_cast<std::size_t>(e)].key == call(lock).key)
      return Ref{lock.process, e};
  return std::nullopt;
}

bool Execution::excludes(Ref lock, Ref other) const {
  return lock.process != other.process && call(lock).key == call(other).key &&
         (call(lock).exclusive || call(other).exclusive);
}

bool State::taken(Ref send) const {
  for (std::size_t i = 0; i < linked_.size(); ++i)
    if (linked_[i] && execution_.links[i].kind == LinkKind::Match &&
        execution_.links[i].send == send)
      return true;
  return closed(send);  // cancelled
}

bool State::closed(Ref receive) const {
  for (std::size_t i = 0; i < linked_.size(); ++i)
    if (linked_[i] && execution_.links[i].receive == receive) return true;
  return false;
}

bool State::may_meet(Ref send, Ref receive) const {
  if (!begun(send) || !begun(receive) || !execution_.fits(send, receive) || taken(send) ||
      closed(receive))
    return false;
  for (int i = 0; i < send.event; ++i) {
    const Ref earlier{send.process, i};
    if (execution_.fits(earlier, receive) && !taken(earlier)) return false;
  }
  for (int i = 0; i < receive.event; ++i) {
    const Ref earlier{receive.process, i};
    if (execution_.call(earlier).kind == Kind::Receive && execution_.fits(send, earlier) &&
        !closed(earlier))
      return false;
  }
  return true;
}

bool State::over(Ref ref, bool unbuffered) const {
  const Call& call = execution_.call(ref);
  switch (call.kind) {
    case Kind::WaitSend: {
      const Ref send{ref.process, call.of};
      const SendMode mode = execution_.call(send).mode;
      if (execution_.is_cancelled(send)) return taken(send);
      return (mode != SendMode::Synchronous && !(unbuffered && mode == SendMode::Standard)) ||
             taken(send);
    }
    case Kind::WaitReceive:
      return closed({ref.process, call.of});
    case Kind::Probe:
      return closed(ref);
    case Kind::Lock:
      return unbuffered || closed(ref);  // then the order of lock owners does not matter
    case Kind::Acquire:
      for (int p = 0; p < execution_.size(); ++p)
        for (int e = 0;
             e < static_cast<int>(execution_.processes[static_cast<std::size_t>(p)].size()); ++e)
          if (const Call& released = execution_.call({p, e});
              released.kind == Kind::Release && released.key == call.key && !begun({p, e}))
            return false;
      return true;
    default:
      return true;
  }
}

bool State::can_begin(int process, bool unbuffered) const {
  const int next = begun_[static_cast<std::size_t>(process)];
  return !at_end(process) && (next == 0 || over({process, next - 1}, unbuffered));
}

bool State::can_link(std::size_t index) const {
  if (linked_[index]) return false;
  const Link& link = execution_.links[index];
  if (link.kind == LinkKind::Cancelled) return begun(link.cancel);
  if (link.kind == LinkKind::Granted) {
    if (!begun(link.receive)) return false;
    for (std::size_t i = 0; i < index; ++i) {
      const Link& earlier = execution_.links[i];
      if (earlier.kind != LinkKind::Granted || !execution_.excludes(link.receive, earlier.receive))
        continue;
      const auto unlock = execution_.unlock_of(earlier.receive);
      if (!unlock || !begun(*unlock)) return false;
    }
    return true;
  }
  return may_meet(*link.send, link.receive);
}

std::string State::bytes() const {
  std::string bytes;
  for (const int begun : begun_) bytes += static_cast<char>(begun);
  for (const bool linked : linked_) bytes += linked ? '\1' : '\0';
  return bytes;
}

std::vector<Happening> linearise(const Execution& execution,
                                 const std::function<std::uint32_t()>& random) {
  State state(execution);
  std::vector<Happening> order;
  for (;;) {
    std::vector<Happening> possible;
    for (int p = 0; p < execution.size(); ++p)
      if (state.can_begin(p)) possible.push_back({p, -1});
    for (std::size_t i = 0; i < execution.links.size(); ++i)
      if (state.can_link(i)) possible.push_back({-1, static_cast<int>(i)});
    if (possible.empty()) return order;
    const Happening next = possible[random() % possible.size()];
    if (next.link >= 0)
      state.link(static_cast<std::size_t>(next.link));
    else
      state.begin(next.process);
    order.push_back(next);
  }
}

std::string text(const Execution& execution, Ref ref) {
  std::ostringstream out;
  const Call& call = execution.call(ref);
  const auto any = [](int value) {
    return value == -1 ? std::string("any") : std::to_string(value);
  };
  out << 'P' << ref.process << '.' << ref.event << ' ';
  switch (call.kind) {
    case Kind::Send:
      out << (call.mode == SendMode::Synchronous ? "issend"
              : call.mode == SendMode::Buffered  ? "ibsend"
                                                 : "isend")
          << " to " << call.peer << " tag " << call.tag << " comm " << call.comm;
      if (const Link* link = execution.taken(ref); link == nullptr)
        out << "  [nobody took it]";
      else if (link->kind == LinkKind::Cancelled)
        out << "  [cancelled]";
      break;
    case Kind::Receive:
    case Kind::Probe:
      out << (call.kind == Kind::Probe ? "probe" : "irecv") << " from " << any(call.peer) << " tag "
          << any(call.tag) << " comm " << call.comm;
      if (const Link* link = execution.link_of(ref); link == nullptr)
        out << "  [nothing]";
      else if (link->kind == LinkKind::Cancelled)
        out << "  [cancelled]";
      else
        out << "  [P" << link->send->process << '.' << link->send->event << ']';
      break;
    case Kind::WaitSend:
      out << "wait for send " << call.of;
      break;
    case Kind::WaitReceive:
      out << "wait for receive " << call.of;
      break;
    case Kind::Cancel:
      out << "cancel " << call.of;
      break;
    case Kind::Release:
      out << "say " << call.key;
      break;
    case Kind::Acquire:
      out << "hear " << call.key;
      break;
    case Kind::Lock:
    case Kind::Unlock:
      out << (call.kind == Kind::Lock ? "lock " : "unlock ") << call.key
          << (call.exclusive ? "" : " shared");
      if (const Link* link = execution.link_of(ref))
        out << "  [as number " << link - execution.links.data() << ']';
      break;
  }
  if (call.asked) out << " (asked)";
  return out.str();
}

std::string text(const Execution& execution) {
  std::ostringstream out;
  for (int p = 0; p < execution.size(); ++p)
    for (int e = 0; e < static_cast<int>(execution.processes[static_cast<std::size_t>(p)].size());
         ++e)
      out << text(execution, {p, e}) << '\n';
  if (!execution.whole) out << "(broken off)\n";
  return out.str();
}

}  // namespace photofinish::testing
