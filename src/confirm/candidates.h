// From the findings of a run to what can be tried: which places are the sides, and which time round
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
  std::vector<std::string> orders;  // what each is called
  Schedule schedule;                // without its order; directed at the example of the finding
  std::vector<MessageEnd>
      messages;   // of a message race: the sends that could be taken, one for each order
  int ranks = 0;  // it needs so many
  std::vector<WorldRank> involved;  // those that are held, and whose memory or messages it is about
  std::string impossible;           // why it cannot be tried; empty if it can
};

// All findings of a run, by their numbers. An Error tells why there are none to try.
Result<std::vector<Candidate>> candidates_of(const std::string& directory);

// Why the run cannot be repeated: the program is not the one that ran. Empty if it is.
std::string changed_program(const std::string& directory, std::uint64_t started_ns);

}  // namespace photofinish
