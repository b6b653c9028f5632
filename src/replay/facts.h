// Facts: properties of an object that only the communication library knows, such as the ranks of a
// communicator or the mapping of the symmetric heap. A recorded rank queries them from the library
// and stores them in its journal. A replayed rank runs without the other ranks, so its library does
// not know them; the journal provides them instead.
#pragma once

#include "record/journal.h"

namespace photofinish {

// The journal with the current entry of this thread; null if there is no entry.
inline thread_local Journal* t_journal = nullptr;

inline bool facts_are_given() { return t_journal != nullptr && t_journal->replays(); }

// Stores the facts in the journal of a recorded rank; on replay, sets them from the journal.
template <class... Facts>
void keep_facts(Facts&... facts) {
  if (t_journal != nullptr) (*t_journal)(facts...);
}

}  // namespace photofinish
