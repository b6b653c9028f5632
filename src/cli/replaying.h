// Starts processes that replay recorded ranks, for photofinish replay and explain.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "record/start_info.h"

namespace photofinish {

// One rank, and how its process is started.
struct Replay {
  WorldRank rank;
  StartInfo start;
  std::string scratch;  // where its process writes its results
  std::vector<std::pair<std::string, std::string>>
      settings;                     // environment variables in addition to the recorded ones
  std::optional<int> recorded_end;  // its exit code, in the form of a shell
  bool chosen = true;               // false: only sends its messages to the others, without output
  pid_t process = 0;
};

// "2,5": these, if they were recorded; empty: all recorded ranks.
Result<std::vector<WorldRank>> chosen_ranks(const std::string& run, const std::string& wanted);
// These ranks, and those that sent them messages. `scratch`: a folder for all files of the replays.
Result<std::vector<Replay>> prepare_replays(const std::string& run,
                                            const std::vector<WorldRank>& ranks,
                                            const std::string& scratch);
std::vector<std::string> environment_of(const Replay& replay);
// Writes gdb commands that start the rank in the environment that it needs, and returns the path of
// the file. It is in the scratch folder, because the environment may contain secrets. `alone`:
// without gdb's own environment. Otherwise empty variables are omitted, because gdb prints a
// message about each.
Result<std::string> write_gdb_script(const Replay& replay, bool alone);
// In a child process: executes the rank.
[[noreturn]] void become_rank(Replay& replay);
// Terminated by null, as exec requires.
std::vector<char*> pointers(std::vector<std::string>& texts);
// In a child process: discards its output.
void silence();
// Starts all of them, each by `start` in a child process, which does not return. Waits until the
// selected ones have ended, and ends the others. Returns their exit codes in the form of a shell.
Result<std::vector<int>> run_replays(std::vector<Replay>& replays,
                                     const std::function<void(Replay&)>& start);
// Runs them without output until all messages inside the group are stored, so that each can then be
// started alone.
Result<bool> give_all(std::vector<Replay>& replays);
// For gdb: makes step skip functions of the tool between the program and MPI.
std::vector<std::string> skip_commands();
// In a child process that outlives this one, for a debugger.
void stay_alive();

// A temporary folder, removed with this object.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ~ScratchFolder() {
    if (!path_.empty()) std::filesystem::remove_all(path_);
  }
  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace photofinish
