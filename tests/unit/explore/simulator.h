// Small abstract message-passing programs, with branches on what was received. The slow twin of the
// search: it enumerates every interleaving.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "explore/execution.h"

namespace photofinish::testing {

struct Instruction {
  enum class What {
    Send,     // to, tag; synchronous: completes when it is matched
    Receive,  // from, tag
    Irecv,    // from, tag; completed by the next Wait
    Wait,     // for the oldest Irecv that is not complete
    Probe,    // from, tag
    Barrier,
    SkipIf,  // the last message came from `peer`: the next `count` instructions are skipped
  };
  What what{};
  int peer = -1;  // -1: any
  int tag = -1;   // -1: any
  bool synchronous = false;
  int count = 0;
};
using Program = std::vector<std::vector<Instruction>>;  // by process

// Everything that can happen, and what happened.
class Simulation {
 public:
  explicit Simulation(const Program& program);

  struct Action {
    enum class What { Advance, Match, See } what{};
    std::size_t process = 0;
    std::size_t receive = 0, message = 0;
  };
  std::vector<Action> actions() const;
  // Of those, what a prescription allows.
  std::vector<Action> actions(const Matching& prescribed) const;
  void take(const Action& action);

  Matching matching() const;
  Execution execution() const;
  // What each process received, and how far it came: the outcome.
  std::string outcome() const;
  // Equal for states with the same future.
  std::string key() const;

 private:
  struct Message {
    std::size_t from = 0, to = 0;
    int tag = 0;
    std::size_t receive = ~std::size_t{0};
    std::uint64_t operation = 0;
    bool synchronous = false;
  };
  struct Receive {
    std::size_t process = 0;
    int from = -1, tag = -1;
    std::size_t message = ~std::size_t{0};
    bool probe = false, complete = false, counts = true;
    std::size_t step = 0;  // of its post
    std::uint64_t operation = 0;
    std::size_t choice = ~std::size_t{0};
  };
  struct Process {
    std::size_t next = 0;
    bool entered = false;  // the instruction has posted something
    std::size_t receive = 0, message = 0;
    std::vector<std::size_t> requests;
    int last = -1;
    std::string history;
    std::size_t barriers = 0, choices = 0;
    std::uint64_t operations = 0;
    std::vector<MessageStep> steps;
  };
  bool can_advance(std::size_t p) const;
  void advance(std::size_t p);
  bool may_match(const Receive& receive, std::size_t r, std::size_t m) const;
  bool accepts(const Receive& receive, const Message& message) const;
  void complete(std::size_t p, std::size_t r);
  std::size_t post(std::size_t p, const Instruction& instruction, bool probe);
  MessageStep& add_step(std::size_t p, MessageStep::Kind kind, std::uint64_t operation);

  const Program* program_;
  std::vector<Process> processes_;
  std::vector<Message> messages_;
  std::vector<Receive> receives_;
};

// The matchings of all runs that can happen, with their outcomes; none if there are too many
// states.
std::optional<std::map<Matching, std::string>> all_runs(const Program& program,
                                                        std::size_t most_states);
// The number of orders in which the calls and matches of the program can happen.
double interleavings(const Program& program);
// One run that follows the prescription, at random.
Simulation run(const Program& program, const Matching& prescribed, std::mt19937& random);

Program random_program(std::mt19937& random, int processes, int instructions);
std::string text_of(const Program& program);
std::string text_of(const Matching& matching);

}  // namespace photofinish::testing
