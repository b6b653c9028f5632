// What only the MPI library knows of an object, such as the ranks of a communicator: asked of it,
// and kept in the journal of a recorded rank. A replayed rank is alone, and its library knows
// nothing of the others: there the journal answers instead.
#pragma once

#include "record/journal.h"

namespace photofinish::mpi {

// Of the entry that the task is in, if its rank is recorded or replayed.
inline thread_local Journal* t_journal = nullptr;

inline bool facts_are_given() { return t_journal != nullptr && t_journal->replays(); }

template <class... Facts>
void keep_facts(Facts&... facts) {
  if (t_journal != nullptr) (*t_journal)(facts...);
}

}  // namespace photofinish::mpi
