// Processes that replay recorded ranks: for photofinish replay, and for explain.
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
  std::string scratch;  // where its process writes what we are to know
  std::vector<std::pair<std::string, std::string>>
      settings;                     // of the environment, beside the recorded one
  std::optional<int> recorded_end;  // its exit code, as a shell has it
  bool chosen = true;               // false: it only gives the others what it gave them, in silence
  pid_t process = 0;
};

// "2,5": these, if they were recorded; empty: all that were.
Result<std::vector<WorldRank>> chosen_ranks(const std::string& run, const std::string& wanted);
// These ranks, and those that gave them something. `scratch`: a folder for all that the replays
// write.
Result<std::vector<Replay>> prepare_replays(const std::string& run,
                                            const std::vector<WorldRank>& ranks,
                                            const std::string& scratch);
std::vector<std::string> environment_of(const Replay& replay);
// Commands for gdb to start the rank in the environment that it needs: a file in its scratch
// folder, for the environment may hold what is nobody else's. Its path. `alone`: with nothing of
// gdb's own environment. Otherwise empty variables are left to that: gdb would have something to
// say about each.
Result<std::string> write_gdb_script(const Replay& replay, bool alone);
// In a child process: becomes the rank.
[[noreturn]] void become_rank(Replay& replay);
// Null at its end, as exec wants them.
std::vector<char*> pointers(std::vector<std::string>& texts);
// In a child process: nothing that it prints is seen.
void silence();
// Starts them all, each by `start` in a child process, which does not come back; waits until those
// that were chosen have ended, and ends the others. Their exit codes, as a shell has them.
Result<std::vector<int>> run_replays(std::vector<Replay>& replays,
                                     const std::function<void(Replay&)>& start);
// Runs them in silence until all that they give each other has been given, and is there for whoever
// starts one of them.
Result<bool> give_all(std::vector<Replay>& replays);
// For gdb: step goes over functions of ours, which stand between the program and MPI.
std::vector<std::string> skip_commands();
// In a child process that outlives this one: a debugger's.
void stay_alive();

// A folder of our own, gone with this object.
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
