#include "program.h"

#include <algorithm>

namespace photofinish::testing {
namespace {

using Calls = std::vector<std::vector<Call>>;

class Writer {
 public:
  explicit Writer(const Program& program)
      : program_(program),
        calls_(static_cast<std::size_t>(program.processes)),
        open_(calls_.size()),
        held_(calls_.size()) {}

  Calls write() {
    for (const Step& step : program_.steps) take(step);
    for (int p = 0; p < program_.processes; ++p)
      while (!held_[static_cast<std::size_t>(p)].empty()) unlock(p);
    return std::move(calls_);
  }

 private:
  struct Open {
    int event;
    bool sends;
  };

  int add(int process, Call call) {
    std::vector<Call>& calls = calls_[static_cast<std::size_t>(process)];
    calls.push_back(call);
    return static_cast<int>(calls.size()) - 1;
  }

  int tags() const {
    return program_.focus == Focus::Tags || program_.focus == Focus::Posted ? 3 : 2;
  }

  Call send(const Step& step, int process) {
    Call call{Kind::Send};
    // Mostly to the first process, rarely to itself.
    const int far = step.a % 4 != 0 && process != 0
                        ? program_.processes - process
                        : 1 + step.a / 4 % (program_.processes - (step.a < 250 ? 1 : 0));
    call.peer = (process + far) % program_.processes;
    call.tag = step.b % tags();
    call.comm = step.b % 16 == 15 ? 1 : 0;
    const int often = program_.focus == Focus::Synchronous ? 2 : 4;
    call.mode = step.c % often == 1 ? SendMode::Synchronous
                : step.c % 8 == 7   ? SendMode::Buffered
                                    : SendMode::Standard;
    return call;
  }

  Call receive(const Step& step, int process, Kind kind) {
    Call call{kind};
    if (step.a % 4 == 0)
      call.peer = (process + 1 + step.a / 4 % (program_.processes - 1)) % program_.processes;
    const int named = program_.focus == Focus::Tags ? 3 : 2;
    if (step.b % 4 < named) call.tag = step.b / 4 % tags();
    call.comm = step.b % 16 == 15 ? 1 : 0;
    return call;
  }

  void wait(int process, std::size_t which, bool asked = false) {
    std::vector<Open>& open = open_[static_cast<std::size_t>(process)];
    Call call{open[which].sends ? Kind::WaitSend : Kind::WaitReceive};
    call.of = open[which].event;
    call.asked = asked;
    add(process, call);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
  }

  void post(int process, const Call& call) {
    const int event = add(process, call);
    open_[static_cast<std::size_t>(process)].push_back({event, call.kind == Kind::Send});
  }

  void take(const Step& step) {
    const bool receives = step.what == Do::Receive || step.what == Do::Irecv ||
                          step.what == Do::Probe || step.what == Do::Cancel ||
                          step.what == Do::Edge || step.what == Do::Wait;
    const int process =
        receives && step.process % 8 < 5 ? 0 : step.process / 8 % program_.processes;
    std::vector<Open>& open = open_[static_cast<std::size_t>(process)];
    switch (step.what) {
      case Do::Send:
      case Do::Isend:
        post(process, send(step, process));
        if (step.what == Do::Send) wait(process, open.size() - 1);
        break;
      case Do::Receive:
      case Do::Irecv:
        post(process, receive(step, process, Kind::Receive));
        if (step.what == Do::Receive) wait(process, open.size() - 1);
        break;
      case Do::Exchange:
        post(process, send(step, process));
        post(process,
             receive({step.what, step.process, step.c, step.a, step.b}, process, Kind::Receive));
        wait(process, open.size() - 2);
        wait(process, open.size() - 1);
        break;
      case Do::Wait:
        if (!open.empty()) wait(process, step.a % open.size(), step.b % 2 == 0);
        break;
      case Do::WaitAll:
        while (!open.empty()) wait(process, 0);
        break;
      case Do::Probe: {
        Call call = receive(step, process, Kind::Probe);
        call.asked = step.c % 3 == 0;
        add(process, call);
        break;
      }
      case Do::Cancel: {
        if (open.empty()) break;
        const std::size_t which = step.a % open.size();
        if (open[which].sends) break;
        Call call{Kind::Cancel};
        call.of = open[which].event;
        add(process, call);
        if (step.b % 2 == 0) wait(process, which);
        break;
      }
      case Do::Edge: {
        Call call{Kind::Release};
        call.key = keys_++;
        add(process, call);
        call.kind = Kind::Acquire;
        add((process + 1 + step.a % (program_.processes - 1)) % program_.processes, call);
        break;
      }
      case Do::Barrier:
        barrier(Kind::Release);
        barrier(Kind::Acquire);
        ++keys_;
        break;
      case Do::SplitBarrier:
        barrier(split_ < 0 ? Kind::Release : Kind::Acquire);
        split_ = split_ < 0 ? keys_++ : -1;
        break;
      case Do::Lock: {  // only a lock above those it holds, so that locks alone cannot deadlock
        auto& held = held_[static_cast<std::size_t>(process)];
        Call call{Kind::Lock};
        call.key = held.empty() ? step.a % 2 : held.back().key + 1;
        call.exclusive = step.b % 4 != 0;
        if (call.key < 2) held.push_back(call), add(process, call);
        break;
      }
      case Do::Unlock:
        if (!held_[static_cast<std::size_t>(process)].empty()) unlock(process);
        break;
      case Do::CancelledSend: {  // waited for at once, so that no event of its rank is between
        post(process, send(step, process));
        Call call{Kind::Cancel};
        call.of = open.back().event;
        add(process, call);
        wait(process, open.size() - 1);
        break;
      }
      case Do::kCount:
        break;
    }
  }

  void unlock(int process) {
    Call call = held_[static_cast<std::size_t>(process)].back();
    held_[static_cast<std::size_t>(process)].pop_back();
    call.kind = Kind::Unlock;
    add(process, call);
  }

  void barrier(Kind kind) {
    Call call{kind};
    call.key = kind == Kind::Acquire && split_ >= 0 ? split_ : keys_;
    for (int p = 0; p < program_.processes; ++p) add(p, call);
  }

  const Program& program_;
  Calls calls_;
  std::vector<std::vector<Open>> open_;
  std::vector<std::vector<Call>> held_;  // locks
  int keys_ = 0;
  int split_ = -1;
};

// Runs the calls: adds links to the State of an execution as matches happen.
class Runner {
 public:
  explicit Runner(const Program& program) : program_(program) {
    whole_.processes = Writer(program).write();
  }

  Execution run() {
    begun_.assign(whole_.processes.size(), 0);
    whole_.begun_at.resize(whole_.processes.size());
    for (std::size_t step = 0;; ++step) {
      if (program_.stop != 0 && step == program_.stop) {
        whole_.whole = false;
        break;
      }
      if (!happen()) break;
    }
    for (std::size_t p = 0; p < begun_.size(); ++p)
      whole_.processes[p].resize(static_cast<std::size_t>(begun_[p]));
    return whole_;
  }

 private:
  State state() const {
    State state(whole_);
    for (std::size_t p = 0; p < begun_.size(); ++p)
      for (int i = 0; i < begun_[p]; ++i) state.begin(static_cast<int>(p));
    for (std::size_t i = 0; i < whole_.links.size(); ++i) state.link(i);
    return state;
  }

  bool happen() {
    const State now = state();
    std::vector<int> ready;
    for (int p = 0; p < whole_.size(); ++p)
      if (now.can_begin(p)) ready.push_back(p);
    std::vector<Link> links;
    for (int p = 0; p < whole_.size(); ++p)
      for (int e = 0; e < begun_[static_cast<std::size_t>(p)]; ++e) {
        const Ref ref{p, e};
        const Call& call = whole_.call(ref);
        if (call.kind == Kind::Lock && !now.closed(ref) && is_free(ref, now))
          links.push_back({LinkKind::Granted, {}, ref, {}});
        const bool too_late = call.kind == Kind::Cancel &&
                              whole_.call({p, call.of}).kind == Kind::Send &&
                              now.begun({p, e + 2});  // its wait returns
        if (call.kind == Kind::Cancel && !now.closed({p, call.of}) && !now.taken({p, call.of}) &&
            !too_late)
          links.push_back({LinkKind::Cancelled, {}, {p, call.of}, ref});
        if ((call.kind != Kind::Receive && call.kind != Kind::Probe) || now.closed(ref)) continue;
        for (int q = 0; q < whole_.size(); ++q)
          for (int s = 0; s < begun_[static_cast<std::size_t>(q)]; ++s)
            if (now.may_meet({q, s}, ref))
              links.push_back(
                  {call.kind == Kind::Probe ? LinkKind::Saw : LinkKind::Match, Ref{q, s}, ref, {}});
      }
    if (ready.empty() && links.empty()) return false;
    const std::size_t choice = next() % (ready.size() + links.size());
    if (choice < ready.size()) {
      ++begun_[static_cast<std::size_t>(ready[choice])];
      whole_.begun_at[static_cast<std::size_t>(ready[choice])].push_back(now_);
    } else {
      whole_.links.push_back(links[choice - ready.size()]);
      whole_.linked_at.push_back(now_);
    }
    ++now_;
    return true;
  }

  bool is_free(Ref lock, const State& now) const {
    return std::none_of(whole_.links.begin(), whole_.links.end(), [&](const Link& link) {
      return link.kind == LinkKind::Granted && whole_.excludes(lock, link.receive) &&
             !now.begun(*whole_.unlock_of(link.receive));
    });
  }

  std::uint32_t next() {
    if (at_ < program_.schedule.size()) return program_.schedule[at_++];
    random_ = random_ * 1664525 + 1013904223;
    return random_ >> 16;
  }

  const Program& program_;
  Execution whole_;
  std::vector<int> begun_;
  int now_ = 0;
  std::size_t at_ = 0;
  std::uint32_t random_ = 1;
};

rc::Gen<Do> kinds(Focus focus) {
  using enum Do;
  switch (focus) {
    case Focus::Everything:
      return rc::gen::element(Send, Receive, Isend, Isend, Irecv, Irecv, Wait, Wait, WaitAll,
                              Exchange, Probe, Cancel, Edge, Barrier, SplitBarrier);
    case Focus::Posted:
      return rc::gen::element(Isend, Isend, Isend, Irecv, Irecv, Irecv, Wait, Wait, Send, Edge,
                              Edge);
    case Focus::Blocking:
      return rc::gen::element(Send, Send, Receive, Receive, Exchange);
    case Focus::Synchronous:
      return rc::gen::element(Send, Isend, Isend, Irecv, Irecv, Receive, Wait, Wait, Edge);
    case Focus::Tags:
      return rc::gen::element(Isend, Send, Isend, Irecv, Irecv, Irecv, Receive, Wait, Edge);
    case Focus::Probes:
      return rc::gen::element(Isend, Send, Isend, Probe, Probe, Receive, Irecv, Wait, Edge);
    case Focus::Cancels:
      return rc::gen::element(Isend, Send, Irecv, Irecv, Irecv, Cancel, Cancel, CancelledSend,
                              CancelledSend, Wait, Edge);
    case Focus::Order:
      return rc::gen::element(Isend, Send, Isend, Irecv, Irecv, Receive, Wait, Wait, Edge, Edge,
                              Barrier, SplitBarrier);
    case Focus::Locks:
      return rc::gen::element(Isend, Isend, Send, Send, Receive, Irecv, Irecv, Irecv, Wait, Wait,
                              Lock, Lock, Unlock, Unlock, Edge);
  }
  return rc::gen::just(Send);
}

rc::Gen<std::uint8_t> byte() {
  return rc::gen::resize(rc::kNominalSize, rc::gen::map(rc::gen::inRange(0, 256), [](int value) {
                           return static_cast<std::uint8_t>(value);
                         }));
}

}  // namespace

Execution run(const Program& program) { return Runner(program).run(); }

const char* name_of(Focus focus) {
  static const char* const names[] = {"Everything", "Posted",  "Blocking", "Synchronous", "Tags",
                                      "Probes",     "Cancels", "Order",    "Locks"};
  return names[static_cast<std::size_t>(focus)];
}

rc::Gen<Program> programs(Focus focus) {
  const auto step =
      rc::gen::build<Step>(rc::gen::set(&Step::what, kinds(focus)),
                           rc::gen::set(&Step::process, byte()), rc::gen::set(&Step::a, byte()),
                           rc::gen::set(&Step::b, byte()), rc::gen::set(&Step::c, byte()));
  const int most = focus == Focus::Blocking ? 9 : 14;
  const auto steps = rc::gen::mapcat(
      rc::gen::resize(rc::kNominalSize, rc::gen::inRange(4, most + 1)), [step](int length) {
        return rc::gen::container<std::vector<Step>>(static_cast<std::size_t>(length), step);
      });
  return rc::gen::build<Program>(
      rc::gen::set(&Program::focus, rc::gen::just(focus)),
      rc::gen::set(&Program::processes, rc::gen::element(2, 3, 3, 3, 4, 4, 5)),
      rc::gen::set(
          &Program::steps,
          rc::gen::oneOf(steps, steps,
                         rc::gen::resize(14, rc::gen::container<std::vector<Step>>(step)))),
      rc::gen::set(&Program::schedule,
                   rc::gen::resize(40, rc::gen::container<std::vector<std::uint8_t>>(byte()))),
      rc::gen::set(
          &Program::stop,
          rc::gen::map(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 160)), [](int value) {
            return static_cast<std::uint16_t>(value < 130 ? 0 : value - 128);
          })));
}

void showValue(const Program& program, std::ostream& out) {
  out << program.processes << " processes\n" << text(run(program));
}

}  // namespace photofinish::testing
