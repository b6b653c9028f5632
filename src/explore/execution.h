// The message steps of one run, and the choices that the run could have made differently.
//
// Rule: a wildcard receive e that matched m has the alternative s if s is not ordered after the
// match of e, no receive that was posted before e takes s, and s is the first message of its source
// that e accepts and no earlier receive took. The alternative prescribes, besides e → s, every
// match that is ordered neither after the match of e nor after that of the receive f that took s.
//
//   rank 0: e: Recv(any)  f: Recv(any)      rank 1: Send(0)     rank 2: Send(0)
//   run: e → rank 1, f → rank 2. Alternative: e → rank 2. f follows e in program order, so it is
//   not prescribed.
//
// Why this is complete: let M be a run that can happen and is not explored. Take the largest
// prefix G of M that an explored run R contains. The next match of M after G is some e → s with
// the post of e and s in G. R matched e otherwise, and nothing in G is ordered after that. So R has
// the alternative e → s, which prescribes all of G. The search explores a run that follows it,
// which contains more of M: a contradiction. Twin: tests/unit/explore enumerates all interleavings
// of random programs.
//
// Assumes: a rank's steps depend on nothing but the messages that it received. Cannot see: choices
// by polling calls (MPI_Test, MPI_Waitany), which docs/explore.md lists.
#pragma once

#include <cstddef>
#include <vector>

#include "explore/matching.h"
#include "model/message.h"

namespace photofinish {

struct Execution {
  // A rank, or a shared object, which receives operations like messages. `at_once` steps are split
  // into post and completion. A receive names its message with `key`.
  struct Process {
    Line line = 0;
    std::vector<MessageStep> steps;
  };
  std::vector<Process> processes;  // WorldRank is the index here
};

struct Alternative {
  Line line = 0;
  std::size_t index = 0;  // on the line
  Match match;
  Matching prescribed;  // with this choice
};

struct Choices {
  Matching matching;  // of the run
  std::vector<Alternative> alternatives;
  // The step of each choice of `matching`, for its call site.
  struct Step {
    std::size_t process, step;
  };
  std::map<Line, std::vector<Step>> steps;
  // The product of the numbers of possible matches of all choices: an estimate of the number of
  // runs, as seen from this one.
  double estimate = 1;
};

Choices choices_of(const Execution& execution);

}  // namespace photofinish
