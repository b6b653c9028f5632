// How a recorded rank was started, so that it can be started again: the first entry of its journal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/journal.h"

namespace photofinish {

inline constexpr std::uint32_t kStartQuery = kOtherQueries;

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
  std::vector<std::string> left_out;     // names of variables that may be secret
  std::uint64_t left_out_bytes = 0;      // of all of them, with their values
  std::uint64_t program_hash = 0;  // of its contents: a replay with another one may go another way
  std::vector<EarlyAnswer> early;
  std::vector<WorldRank> group;  // all that were recorded
};
template <class A>
void describe(A& a, StartInfo& d) {
  a(d.program, d.name, d.arguments, d.folder, d.environment, d.left_out, d.left_out_bytes,
    d.program_hash, d.early, d.group);
}

// Whether a variable, NAME=value, may be secret: by its name, or by a value that is an address with
// a password in it (https://user:password@host).
bool checks_secret(std::string_view variable);

// Of this process. `kept`: which variables to keep although they look secret, as --keep-env has it:
// "*" for all, or names with commas between them.
StartInfo own_start(std::string_view kept);
std::uint64_t hash_of_file(const std::string& path);

// Whether a variable tells a rank of its launcher. A replayed rank has none, and its MPI must not
// look for it.
bool is_of_launcher(const std::string& variable);

// Of a recorded rank.
Result<StartInfo> read_start(const std::string& directory, WorldRank rank);

}  // namespace photofinish
