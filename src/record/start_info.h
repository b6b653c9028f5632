// How a recorded rank was started, so that it can be started again: the first entry of its journal.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/journal.h"

namespace photofinish {

inline constexpr std::uint32_t kStartQuestion = kOtherQuestions;

// To a question before there was a journal.
struct EarlyAnswer {
  std::uint32_t what = 0;
  std::int64_t result = 0;
  std::string data;
};
template <class A>
void describe(A& a, EarlyAnswer& d) {
  a(d.what, d.result, d.data);
}

struct StartInfo {
  std::string program;                 // the executable file
  std::string name;                    // by which it was started: it is on the stack
  std::vector<std::string> arguments;  // its name first
  std::string folder;
  std::vector<std::string> environment;  // NAME=value
  std::uint64_t program_hash = 0;  // of its contents: a replay with another one may go another way
  std::vector<EarlyAnswer> early;
  std::vector<WorldRank> group;  // all that were recorded
};
template <class A>
void describe(A& a, StartInfo& d) {
  a(d.program, d.name, d.arguments, d.folder, d.environment, d.program_hash, d.early, d.group);
}

// Of this process.
StartInfo own_start();
std::uint64_t hash_of_file(const std::string& path);

// Whether a variable tells a rank of its launcher. A replayed rank has none, and its MPI must not
// look for it.
bool is_of_launcher(const std::string& variable);

// Of a recorded rank.
Result<StartInfo> read_start(const std::string& directory, WorldRank rank);

}  // namespace photofinish
