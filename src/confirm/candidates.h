// From the findings of a run to what confirm can try: the access sites, and the iteration in which
// they raced.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "confirm/schedule.h"
#include "model/confirmation.h"
#include "report/numbering.h"

namespace photofinish {

struct Candidate {
  std::size_t number = 0;  // F1 is 1
  std::uint64_t key = 0;
  std::string title;                // "one-sided race, put solver.c:118 and get solver.c:142"
  std::vector<std::string> orders;  // their names
  Schedule schedule;                // without its order; directed at the example of the finding
  std::uint64_t times = 1;          // dynamic instances in the recorded run
  // Of a message race: one for each order. The first is the recorded match; the others are those
  // that the report lists, then further instances of the receive, which may turn out to be
  // impossible.
  struct Alternative {
    MessageEnd send;
    WorldRank receiver;
    std::vector<Schedule::Match> matches = {};
    std::uint64_t steered = 0;
    bool reported = true;
  };
  std::vector<Alternative> alternatives;
  int ranks = 0;                    // it needs so many
  std::vector<WorldRank> involved;  // ranks that are held, own the memory or send the messages
  std::string impossible;           // why it cannot be tried; empty if it can
};

// All findings of a run, by their numbers, with at most so many further instances of a receive. An
// Error says why there are none to try.
Result<std::vector<Candidate>> candidates_of(const std::string& directory, int instances);
// Whether the run has a deadlock that is predicted for the case that no send is buffered.
bool depends_on_buffering(const std::string& directory);

// Why the run cannot be repeated: the program is not the one that ran. Empty if it is.
std::string changed_program(const std::string& directory, std::uint64_t started_ns);

}  // namespace photofinish
