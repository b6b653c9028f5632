// Where a replayed rank went another way than the recorded one: a note from its process to
// `photofinish replay`, which knows how to tell it.
#pragma once

#include <string>

#include "base/result.h"
#include "record/journal.h"

namespace photofinish {

inline constexpr int kDivergenceCode = 72;  // of a process that left the recorded path
// In place of what was expected: the record ended inside this call; the journal is damaged; another
// rank ended and had not given what it did give, and the question's place is that rank.
inline constexpr std::uint32_t kNoQuery = ~0u;
inline constexpr std::uint32_t kDamagedQuery = ~0u - 1;
inline constexpr std::uint32_t kLostPayload = ~0u - 2;

struct Divergence {
  TaskId task;
  std::uint64_t entry = 0;  // counts from 1
  Inquiry asked, expected;
};

template <class A>
void describe(A& a, Divergence& d) {
  a(d.task, d.entry, d.asked, d.expected);
}

// In the directory that the replayed rank writes to.
inline std::string divergence_path(const std::string& directory) {
  return directory + "/departure";
}
void write_divergence(const std::string& path, const Divergence& divergence);
// An Error if there is none.
Result<Divergence> read_divergence(const std::string& path);

}  // namespace photofinish
