// Helpers for the hand-made cases (cases.h).
#pragma once

#include "cases.h"
#include "frontend/mpi/table/mpi_call.h"

namespace photofinish::testing::made {

using enum Reason;
struct Race {
  Ref one, other;
  Reason reason;
};
using Races = std::vector<Race>;

struct Made {
  const char* name;
  int ranks;
  Races (*make)(Script&);
};

constexpr std::uint64_t kBase = 0x1000;    // of the windows, on every rank
constexpr std::uint64_t kBuffer = 0x2000;  // memory outside of windows
constexpr Data kInts{kBuffer, 8, kPlainBytes};

inline Data fresh(Script& s) { return {s.fresh(8), 8, kPlainBytes}; }

// A message that only synchronizes.
inline void message(Script& s, int from, int to, std::int64_t tag = 0) {
  s.send(from, MpiCall::MPI_Send, to, tag, fresh(s));
  s.receive(to, from, tag, fresh(s), {from, tag, 8});
}

inline void everybody_locks(Script& s, WinRef win) {
  for (int rank = 0; rank < s.size(); ++rank) s.lock_all(rank, win);
}
inline void everybody_unlocks(Script& s, WinRef win) {
  for (int rank = 0; rank < s.size(); ++rank) s.window_call(rank, MpiCall::MPI_Win_unlock_all, win);
}

Case finish(const char* name, Script& script, const Races& races);
inline void add(std::vector<Case>& cases, const Made& made) {
  Script script(made.ranks);
  const Races races = made.make(script);
  cases.push_back(finish(made.name, script, races));
}

// One function for each file of cases.
void add_access_cases(std::vector<Case>& cases);
void add_lock_cases(std::vector<Case>& cases);
void add_kind_cases(std::vector<Case>& cases);
void add_order_cases(std::vector<Case>& cases);
void add_atomic_cases(std::vector<Case>& cases);

}  // namespace photofinish::testing::made
