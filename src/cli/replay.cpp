// photofinish replay: replays ranks of a recorded run, each in its own process, with its journal
// and the shared payloads of the group.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/private_file.h"
#include "cli/commands.h"
#include "cli/launch_file.h"
#include "cli/preload.h"
#include "cli/replaying.h"
#include "record/divergence.h"
#include "report/divergence_text.h"
#include "report/event_text.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

// In the form that a shell shows.
std::string end_by(int code) {
  return end_text(code > 128 ? RankEnd{RankState::Signaled, code - 128}
                             : RankEnd{RankState::Exited, code});
}

// Prints what a process left about its end; returns its exit code.
int conclude(const std::string& run, const Replay& replay, int code, bool& reported) {
  const auto divergence = read_divergence(divergence_path(replay.scratch));
  if (!divergence && replay.recorded_end.value_or(code) == code) return code;
  reported = true;
  if (!divergence && code == kDivergenceCode) {
    fmt::print(
        stderr,
        "photofinish: rank {} stopped, and could not write the reason to {}: is the disk full?\n",
        replay.rank.value, replay.scratch);
    return kExitDivergence;
  }
  if (!divergence) {
    fmt::print(stderr,
               "photofinish: rank {} received the recorded values but ended differently: {}; "
               "recorded: {}\n",
               replay.rank.value, end_by(code), end_by(*replay.recorded_end));
    return kExitDivergence;
  }
  fmt::print(stderr, "photofinish: {}\n",
             divergence_text(run, replay.scratch, replay.rank, *divergence));
  return divergence->expected.what == kNoQuery ? code : static_cast<int>(kExitDivergence);
}

// The command, and the variables set for it.
std::string shown(const Replay& replay) {
  std::string line = fmt::format("rank {}:", replay.rank.value);
  for (const auto& [name, value] : replay.settings) line += " " + name + "=" + value;
  for (const std::string& word : replay.start.arguments) line += " " + word;
  return line;
}

// In a child process: redirects its output to files.
void redirect(const std::string& folder, WorldRank rank) {
  for (const auto& [descriptor, ending] :
       {std::pair{STDOUT_FILENO, "out"}, std::pair{STDERR_FILENO, "err"}}) {
    const std::string path = fmt::format("{}/rank-{}.{}", folder, rank.value, ending);
    const int file = open_private(path, O_WRONLY | O_TRUNC);
    if (file < 0 || dup2(file, descriptor) < 0)
      _exit(fail(fmt::format("cannot write {}: {}", path, std::strerror(errno))));
  }
}

// gdbserver passes the words of --wrapper to a shell, unquoted, and expects that it starts the
// program at once. So the wrapper is this tool, with the name of a file that contains the
// environment.
std::string escaped(const std::string& word) {
  std::string text;
  for (const char c : word) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && std::strchr("/._-", c) == nullptr)
      text += '\\';
    text += c;
  }
  return text;
}

Result<std::vector<std::string>> gdbserver_wrapper(const Replay& replay) {
  const std::string path = replay.scratch + "/environment";
  std::ofstream file(path, std::ios::binary);
  file << "PHOTOFINISH_REPLAY_STOPS=1" << '\0';
  for (const std::string& variable : environment_of(replay)) file << variable << '\0';
  file.close();
  if (!file) return Error{fmt::format("cannot write {}: is there room?", path)};
  return std::vector<std::string>{escaped(own_path()), kStartCommand, escaped(path)};
}

// gdb starts the rank itself, in the environment that the rank needs.
[[noreturn]] void become_debugger(Replay& replay, const std::string& server,
                                  const std::vector<std::string>& commands) {
  stay_alive();
  const auto script = write_gdb_script(replay, false);
  if (!script) _exit(fail(script.error().message));
  for (const std::string& variable : environment_of(replay))
    if (variable.ends_with('=')) setenv(variable.substr(0, variable.size() - 1).c_str(), "", 1);
  if (chdir(replay.start.folder.c_str()) != 0)
    _exit(fail(fmt::format("cannot change to {}: {}", replay.start.folder, std::strerror(errno))));
  std::vector<std::string> line;
  if (server.empty()) {
    line = {"gdb", "-q", "-x", *script};
    for (const std::string& command : commands) line.insert(line.end(), {"-ex", command});
    line.push_back("--args");
  } else {
    personality(static_cast<unsigned long>(personality(0xffffffff)) | ADDR_NO_RANDOMIZE);
    const auto wrapper = gdbserver_wrapper(replay);
    if (!wrapper) _exit(fail(wrapper.error().message));
    line = {"gdbserver", "--wrapper"};
    line.insert(line.end(), wrapper->begin(), wrapper->end());
    line.insert(line.end(), {"--", server});
  }
  line.push_back(replay.start.program);
  line.insert(line.end(), replay.start.arguments.begin() + 1, replay.start.arguments.end());
  execvp(line[0].c_str(), pointers(line).data());
  _exit(fail(fmt::format("cannot start {}: {}; install it, or replay without it", line[0],
                         std::strerror(errno))));
}

// The folders remain: an editor may start the ranks at any time.
int write_editor_file(const ReplayArguments& arguments, const std::vector<WorldRank>& ranks) {
  const auto all = recorded_ranks(arguments.run);  // including those of entries written earlier
  if (!all) return fail(all.error().message);
  auto replays = prepare_replays(arguments.run, *all, absolute_path(arguments.run) + "/debugging");
  if (!replays) return fail(replays.error().message);
  // The shared payloads of the group must exist by then.
  if (const auto given = give_all(*replays); !given) return fail(given.error().message);
  std::erase_if(*replays, [&](const Replay& replay) {
    return std::find(ranks.begin(), ranks.end(), replay.rank) == ranks.end();
  });
  if (const auto written = write_launch_file(arguments.editor_file, arguments.run, *replays);
      !written)
    return fail(written.error().message, kExitUsage);
  fmt::print(stderr, "photofinish: {} starts rank{} {} under gdb\n", arguments.editor_file,
             ranks.size() > 1 ? "s" : "", rank_ranges(ranks));
  return kExitOk;
}

}  // namespace

int start_in_environment(int argc, char** argv) {
  std::ifstream file(argv[2], std::ios::binary);
  std::vector<std::string> variables;
  for (std::string variable; std::getline(file, variable, '\0');) variables.push_back(variable);
  if (argc < 4 || variables.empty()) return fail("photofinish replay starts this", kExitUsage);
  execve(argv[3], argv + 3, pointers(variables).data());
  return fail(fmt::format("cannot start {}: {}", argv[3], std::strerror(errno)));
}

int run_replay(const Options& options, const ReplayArguments& arguments) {
  const bool debugs = arguments.debugged >= 0;
  const auto ranks =
      chosen_ranks(arguments.run, debugs ? std::to_string(arguments.debugged) : arguments.ranks);
  if (!ranks) return fail(ranks.error().message, kExitUsage);
  if (const auto start = read_start(arguments.run, ranks->front()); !start)
    return fail(start.error().message, kExitUsage);
  if (!arguments.editor_file.empty()) return write_editor_file(arguments, *ranks);
  const auto scratch = ScratchFolder::make();
  if (!scratch) return fail(scratch.error().message);
  auto replays = prepare_replays(arguments.run, *ranks, scratch->path());
  if (!replays) return fail(replays.error().message);
  for (Replay& replay : *replays) {
    if (debugs) replay.recorded_end.reset();  // the exit code is that of gdb
    if (options.verbose)
      fmt::print(stderr, "photofinish: {}{}\n", shown(replay),
                 replay.chosen ? "" : " (its output is discarded: it only sends to the others)");
  }
  if (!arguments.output.empty()) {
    if (!make_private_directories(arguments.output))
      return fail(
          fmt::format("cannot make the folder {}: {}", arguments.output, std::strerror(errno)),
          kExitUsage);
  }
  signal(SIGINT,
         SIG_IGN);  // the terminal sends it to the ranks as well; this process stays to report
                    // their outcome
  int code = 0;
  bool reported = false;
  const auto codes = run_replays(*replays, [&](Replay& replay) {
    signal(SIGINT, SIG_DFL);
    if (debugs) become_debugger(replay, arguments.server, arguments.commands);
    if (!arguments.output.empty()) redirect(arguments.output, replay.rank);
    become_rank(replay);
  });
  if (!codes) return fail(codes.error().message);
  for (std::size_t i = 0; i < replays->size(); ++i) {
    const Replay& replay = (*replays)[i];
    // For ranks that the user did not select, reports only what blocked the others.
    if (!replay.chosen &&
        (code != kExitDivergence || !read_divergence(divergence_path(replay.scratch))))
      continue;
    const int own = conclude(arguments.run, replay, (*codes)[i], reported);
    if (code == 0) code = own;
  }
  if (!reported && !debugs) {
    const char* const name = code > 128 ? sigabbrev_np(code - 128) : nullptr;
    fmt::print(stderr, "photofinish: rank{} {} replayed to {} {}: {}\n",
               ranks->size() > 1 ? "s" : "", rank_ranges(*ranks),
               ranks->size() > 1 ? "their" : "its",
               name != nullptr && is_fault(code - 128) ? "crash" : "end",
               name != nullptr ? fmt::format("signal {} (SIG{})", code - 128, name)
                               : fmt::format("exit code {}", code));
  }
  return code;
}

}  // namespace photofinish
