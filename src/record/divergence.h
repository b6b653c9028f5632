// A replay divergence: a note of the replayed process for `photofinish replay`, which reports it.
#pragma once

#include <string>

#include "base/result.h"
#include "record/journal.h"

namespace photofinish {

inline constexpr int kDivergenceCode = 72;  // exit code of a process whose replay diverged
// Instead of the expected call: the record ended inside this call; the journal is damaged; another
// rank ended before it produced a shared payload, and the site of the inquiry is that rank.
inline constexpr std::uint32_t kNoQuery = ~0u;
inline constexpr std::uint32_t kDamagedQuery = ~0u - 1;
inline constexpr std::uint32_t kLostPayload = ~0u - 2;

// A turn of a thread (record/turn_order.h), by its kind.
inline constexpr std::uint32_t kTurnQuery = kOtherQueries + 64;

struct Divergence {
  TaskId task;
  std::uint64_t entry = 0;  // numbered from 1
  Inquiry asked, expected;
  bool stuck = false;  // the expected turn of another thread never came
};

template <class A>
void describe(A& a, Divergence& d) {
  a(d.task, d.entry, d.asked, d.expected, d.stuck);
}

// In the directory that the replayed rank writes to.
inline std::string divergence_path(const std::string& directory) {
  return directory + "/divergence";
}
void write_divergence(const std::string& path, const Divergence& divergence);
// An Error if there is none.
Result<Divergence> read_divergence(const std::string& path);

}  // namespace photofinish
