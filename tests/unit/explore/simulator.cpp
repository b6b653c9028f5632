#include "simulator.h"

#include <algorithm>
#include <unordered_set>

namespace photofinish::testing {
namespace {

using What = Instruction::What;
constexpr std::size_t kNone = ~std::size_t{0};

}  // namespace

Simulation::Simulation(const Program& program) : program_(&program), processes_(program.size()) {}

MessageStep& Simulation::add_step(std::size_t p, MessageStep::Kind kind, std::uint64_t operation) {
  MessageStep step;
  step.kind = kind;
  step.operation = operation;
  step.comm = Uid(7);
  processes_[p].steps.push_back(step);
  return processes_[p].steps.back();
}

bool Simulation::accepts(const Receive& receive, const Message& message) const {
  return message.to == receive.process &&
         (receive.from < 0 || static_cast<std::size_t>(receive.from) == message.from) &&
         (receive.tag < 0 || receive.tag == message.tag);
}

bool Simulation::may_match(const Receive& receive, std::size_t r, std::size_t m) const {
  const Message& message = messages_[m];
  if (message.receive != kNone || !accepts(receive, message)) return false;
  for (std::size_t j = 0; j < r && j < receives_.size(); ++j)
    if (!receives_[j].probe && receives_[j].message == kNone &&
        receives_[j].process == receive.process && accepts(receives_[j], message))
      return false;
  for (std::size_t i = 0; i < m; ++i)
    if (messages_[i].receive == kNone && messages_[i].from == message.from &&
        accepts(receive, messages_[i]))
      return false;
  return true;
}

bool Simulation::can_advance(std::size_t p) const {
  const Process& own = processes_[p];
  if (own.next >= (*program_)[p].size()) return false;
  const Instruction& at = (*program_)[p][own.next];
  switch (at.what) {
    case What::Send:
      return !own.entered || messages_[own.message].receive != kNone;
    case What::Receive:
      return !own.entered || receives_[own.receive].message != kNone;
    case What::Probe:
      return !own.entered || receives_[own.receive].complete;
    case What::Wait:
      return own.requests.empty() || receives_[own.requests.front()].message != kNone;
    case What::Barrier:
      return !own.entered ||
             std::all_of(processes_.begin(), processes_.end(),
                         [&](const Process& other) { return other.barriers >= own.barriers; });
    case What::Irecv:
    case What::SkipIf:
      return true;
  }
  return false;
}

std::size_t Simulation::post(std::size_t p, const Instruction& instruction, bool probe) {
  Process& own = processes_[p];
  Receive receive;
  receive.process = p;
  receive.from = instruction.peer;
  receive.tag = instruction.tag;
  receive.probe = probe;
  receive.operation = ++own.operations;
  if (receive.from < 0) receive.choice = own.choices++;
  receive.step = own.steps.size();
  MessageStep& step =
      add_step(p, probe ? MessageStep::Kind::Probe : MessageStep::Kind::Receive, receive.operation);
  step.peer = receive.from < 0 ? kAnySource : WorldRank(receive.from);
  step.tag = receive.tag < 0 ? kAnyTag : receive.tag;
  receives_.push_back(receive);
  return receives_.size() - 1;
}

void Simulation::complete(std::size_t p, std::size_t r) {
  Process& own = processes_[p];
  receives_[r].complete = true;
  const Message& message = messages_[receives_[r].message];
  own.last = static_cast<int>(message.from);
  own.history += std::to_string(message.from) + "." + std::to_string(message.tag) + " ";
  add_step(p, MessageStep::Kind::CompleteReceive, receives_[r].operation);
}

void Simulation::advance(std::size_t p) {
  Process& own = processes_[p];
  const Instruction& at = (*program_)[p][own.next];
  const auto leave = [&] {
    own.entered = false;
    ++own.next;
  };
  switch (at.what) {
    case What::Send: {
      if (!own.entered) {
        own.message = messages_.size();
        Message message;
        message.from = p;
        message.to = static_cast<std::size_t>(at.peer);
        message.tag = at.tag;
        message.operation = ++own.operations;
        message.synchronous = at.synchronous;
        messages_.push_back(message);
        MessageStep& step = add_step(p, MessageStep::Kind::Send, message.operation);
        step.peer = WorldRank(at.peer);
        step.tag = at.tag;
        step.mode = at.synchronous ? SendMode::Synchronous : SendMode::Standard;
        step.key = messages_.size();
        own.entered = at.synchronous;
        if (at.synchronous) return;
      }
      add_step(p, MessageStep::Kind::CompleteSend, messages_[own.message].operation);
      return leave();
    }
    case What::Receive:
      if (!own.entered) {
        own.receive = post(p, at, false);
        own.entered = true;
        return;
      }
      complete(p, own.receive);
      return leave();
    case What::Irecv:
      own.requests.push_back(post(p, at, false));
      return leave();
    case What::Wait:
      if (!own.requests.empty()) {
        complete(p, own.requests.front());
        own.requests.erase(own.requests.begin());
      }
      return leave();
    case What::Probe:
      if (!own.entered) {
        own.receive = post(p, at, true);
        own.entered = true;
        return;
      }
      return leave();
    case What::Barrier:
      if (!own.entered) {
        own.entered = true;
        ++own.barriers;
        add_step(p, MessageStep::Kind::Release, 0).key = 1'000'000 + own.barriers;
        return;
      }
      add_step(p, MessageStep::Kind::Acquire, 0).key = 1'000'000 + own.barriers;
      return leave();
    case What::SkipIf:
      own.next += own.last == at.peer ? static_cast<std::size_t>(at.count) : 0;
      return leave();
  }
}

std::vector<Simulation::Action> Simulation::actions() const {
  std::vector<Action> all;
  for (std::size_t p = 0; p < processes_.size(); ++p)
    if (can_advance(p)) all.push_back({Action::What::Advance, p, 0, 0});
  for (std::size_t r = 0; r < receives_.size(); ++r) {
    const Receive& receive = receives_[r];
    if (receive.message != kNone) continue;
    for (std::size_t m = 0; m < messages_.size(); ++m)
      if (may_match(receive, r, m))
        all.push_back(
            {receive.probe ? Action::What::See : Action::What::Match, receive.process, r, m});
  }
  return all;
}

std::vector<Simulation::Action> Simulation::actions(const Matching& prescribed) const {
  std::vector<Action> all = actions();
  std::erase_if(all, [&](const Action& action) {
    if (action.what == Action::What::Advance) return false;
    const Receive& receive = receives_[action.receive];
    const auto found = prescribed.find(receive.process);
    if (receive.choice == kNone || found == prescribed.end() ||
        receive.choice >= found->second.size())
      return false;
    const Match& wanted = found->second[receive.choice];
    return wanted.source != kAnySource &&
           static_cast<std::size_t>(wanted.source.value) != messages_[action.message].from;
  });
  return all;
}

void Simulation::take(const Action& action) {
  if (action.what == Action::What::Advance) return advance(action.process);
  Receive& receive = receives_[action.receive];
  receive.message = action.message;
  processes_[receive.process].steps[receive.step].key = action.message + 1;
  if (action.what == Action::What::See) {
    receive.complete = true;
    Process& own = processes_[receive.process];
    own.last = static_cast<int>(messages_[action.message].from);
    own.history += "p" + std::to_string(own.last) + " ";
  } else {
    messages_[action.message].receive = action.receive;
  }
}

Matching Simulation::matching() const {
  Matching all;
  for (std::size_t p = 0; p < processes_.size(); ++p)
    for (const Receive& receive : receives_)
      if (receive.process == p && receive.choice != kNone) {
        Match match{kProcNull, kAnyTag};
        if (receive.message != kNone)
          match = {WorldRank(static_cast<int>(messages_[receive.message].from)),
                   messages_[receive.message].tag};
        all[p].push_back(match);
      }
  return all;
}

// A probe is one step, which is complete when it sees a message.
Execution Simulation::execution() const {
  Execution execution;
  for (std::size_t p = 0; p < processes_.size(); ++p)
    execution.processes.push_back({p, processes_[p].steps});
  return execution;
}

std::string Simulation::outcome() const {
  std::string text;
  for (std::size_t p = 0; p < processes_.size(); ++p)
    text += processes_[p].history +
            (processes_[p].next < (*program_)[p].size()
                 ? "stuck at " + std::to_string(processes_[p].next)
                 : "done") +
            "; ";
  return text;
}

std::string Simulation::key() const {
  std::string text = outcome();
  for (const Process& own : processes_) text += own.entered ? 'e' : 'n';
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    text += '|';
    for (const Receive& receive : receives_) {
      if (receive.process != p) continue;
      if (receive.message == kNone) {
        text += "-,";
        continue;
      }
      // The number of the message among those of its sender.
      const Message& message = messages_[receive.message];
      text += std::to_string(message.from) + ":" + std::to_string(message.operation) + ",";
    }
  }
  return text;
}

std::optional<std::map<Matching, std::string>> all_runs(const Program& program,
                                                        std::size_t most_states) {
  std::map<Matching, std::string> runs;
  std::unordered_set<std::string> seen;
  std::vector<Simulation> left{Simulation(program)};
  while (!left.empty()) {
    const Simulation state = std::move(left.back());
    left.pop_back();
    const auto actions = state.actions();
    if (actions.empty()) runs[state.matching()] = state.outcome();
    for (const Simulation::Action& action : actions) {
      Simulation next = state;
      next.take(action);
      if (seen.insert(next.key()).second) left.push_back(std::move(next));
    }
    if (seen.size() > most_states) return std::nullopt;
  }
  return runs;
}

namespace {

double interleavings_from(const Simulation& state, std::map<std::string, double>& known) {
  const auto [found, added] = known.try_emplace(state.key(), 0);
  if (!added) return found->second;
  const auto actions = state.actions();
  double sum = actions.empty() ? 1 : 0;
  for (const Simulation::Action& action : actions) {
    Simulation next = state;
    next.take(action);
    sum += interleavings_from(next, known);
  }
  return known[state.key()] = sum;
}

}  // namespace

double interleavings(const Program& program) {
  std::map<std::string, double> known;
  return interleavings_from(Simulation(program), known);
}

Simulation run(const Program& program, const Matching& prescribed, std::mt19937& random) {
  Simulation state(program);
  while (true) {
    const auto actions = state.actions(prescribed);
    if (actions.empty()) return state;
    state.take(actions[random() % actions.size()]);
  }
}

Program random_program(std::mt19937& random, int processes, int instructions) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Program program(static_cast<std::size_t>(processes));
  const bool tags = below(3) == 0, requests = below(2) == 0, probes = below(4) == 0,
             branches = below(2) == 0, synchronous = below(3) == 0, barriers = below(5) == 0;
  for (int p = 0; p < processes; ++p)
    for (int i = 0; i < instructions; ++i) {
      Instruction one;
      const int kind = below(10);
      const auto wanted = [&] {
        one.peer = below(3) == 0 ? (p + 1 + below(processes - 1)) % processes : -1;
        one.tag = tags && below(2) == 0 ? below(2) : -1;
      };
      if (kind < 4) {
        one.what = What::Send;
        one.peer = (p + 1 + below(processes - 1)) % processes;
        if (below(2) == 0 && p != 0) one.peer = 0;
        one.tag = tags ? below(2) : 0;
        one.synchronous = synchronous && below(2) == 0;
      } else if (kind < 7) {
        one.what = What::Receive;
        wanted();
      } else if (kind == 7 && requests) {
        one.what = below(2) == 0 ? What::Irecv : What::Wait;
        wanted();
      } else if (kind == 8 && probes) {
        one.what = What::Probe;
        wanted();
      } else if (kind == 9 && branches) {
        one.what = What::SkipIf;
        one.peer = below(processes);
        one.count = 1 + below(2);
      } else if (kind == 9 && barriers) {
        one.what = What::Barrier;
      } else {
        one.what = p == 0 ? What::Receive : What::Send;
        one.peer = p == 0 ? -1 : 0;
        one.tag = p == 0 ? -1 : 0;
      }
      program[static_cast<std::size_t>(p)].push_back(one);
    }
  return program;
}

std::string text_of(const Program& program) {
  static const char* const names[] = {"Send",  "Receive", "Irecv", "Wait",
                                      "Probe", "Barrier", "SkipIf"};
  std::string text;
  for (std::size_t p = 0; p < program.size(); ++p) {
    text += std::to_string(p) + ":";
    for (const Instruction& one : program[p])
      text += std::string(" ") + names[static_cast<int>(one.what)] + "(" +
              std::to_string(one.peer) + "," + std::to_string(one.tag) +
              (one.synchronous ? ",sync" : "") +
              (one.count > 0 ? "," + std::to_string(one.count) : "") + ")";
    text += "\n";
  }
  return text;
}

std::string text_of(const Matching& matching) {
  std::string text;
  for (const auto& [line, matches] : matching) {
    text += std::to_string(line) + ":";
    for (const Match& match : matches)
      text += " " + std::to_string(match.source.value) + "." + std::to_string(match.tag);
    text += "; ";
  }
  return text;
}

}  // namespace photofinish::testing
