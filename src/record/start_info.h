// How a recorded rank was started, so that it can be started again: the first entry of its journal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/journal.h"

namespace photofinish {

inline constexpr std::uint32_t kStartQuery = kOtherQueries;

// The result of an external input that was read before the journal existed.
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
  std::string name;                    // the path as passed to exec, which is on the stack
  std::vector<std::string> arguments;  // including argv[0]
  std::string folder;
  std::vector<std::string> environment;  // NAME=value
  std::vector<std::string> left_out;  // names of possibly secret variables, which are not recorded
  std::uint64_t left_out_bytes = 0;   // their total size, with values
  std::uint64_t program_hash = 0;     // of the file: the replay of another one may diverge
  std::vector<EarlyAnswer> early;
  std::vector<WorldRank> group;  // all recorded ranks
};
template <class A>
void describe(A& a, StartInfo& d) {
  a(d.program, d.name, d.arguments, d.folder, d.environment, d.left_out, d.left_out_bytes,
    d.program_hash, d.early, d.group);
}

// Whether a variable, NAME=value, may be secret: by its name, or because the value is a URL with a
// password (https://user:password@host).
bool checks_secret(std::string_view variable);

// The start information of this process. `kept`: variables to record even if they may be secret, as
// in --keep-env: "*" for all, or a comma-separated list.
StartInfo own_start(std::string_view kept);
std::uint64_t hash_of_file(const std::string& path);

// Whether a launcher sets this variable. A replayed rank has no launcher, and its MPI must not
// search for one.
bool is_of_launcher(const std::string& variable);

// The start information of a recorded rank, from its journal.
Result<StartInfo> read_start(const std::string& directory, WorldRank rank);

}  // namespace photofinish
