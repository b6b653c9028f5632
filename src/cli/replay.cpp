// photofinish replay: ranks of a recorded run once more, each a process of its own, with its
// journal, and with what others of the group give it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/commands.h"
#include "cli/launch_file.h"
#include "cli/replaying.h"
#include "record/departure.h"
#include "report/departure_text.h"
#include "report/event_text.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

// As a shell has it.
std::string end_by(int code) {
  return end_text(code > 128 ? RankEnd{RankState::Signalled, code - 128}
                             : RankEnd{RankState::Exited, code});
}

// What a process left to say about its end, and its exit code.
int conclude(const std::string& run, const Replay& replay, int code, bool& told) {
  const auto departure = read_departure(departure_path(replay.scratch));
  if (!departure && replay.recorded_end.value_or(code) == code) return code;
  told = true;
  if (!departure && code == kDepartureCode) {
    fmt::print(stderr,
               "photofinish: rank {} stopped, and could not write why to {}: is there room?\n",
               replay.rank.value, replay.scratch);
    return kExitDeparture;
  }
  if (!departure) {
    fmt::print(stderr,
               "photofinish: rank {} was answered as recorded, and ended otherwise: {}; {} when it "
               "was recorded\n",
               replay.rank.value, end_by(code), end_by(*replay.recorded_end));
    return kExitDeparture;
  }
  fmt::print(stderr, "photofinish: {}\n",
             departure_text(run, replay.scratch, replay.rank, *departure));
  return departure->expected.what == kNoQuestion ? code : static_cast<int>(kExitDeparture);
}

// What is started, and what was set for it.
std::string shown(const Replay& replay) {
  std::string line = fmt::format("rank {}:", replay.rank.value);
  for (const auto& [name, value] : replay.settings) line += " " + name + "=" + value;
  for (const std::string& word : replay.start.arguments) line += " " + word;
  return line;
}

// In a child process: what it prints goes to files of its own.
void redirect(const std::string& folder, WorldRank rank) {
  for (const auto& [descriptor, ending] :
       {std::pair{STDOUT_FILENO, "out"}, std::pair{STDERR_FILENO, "err"}}) {
    const std::string path = fmt::format("{}/rank-{}.{}", folder, rank.value, ending);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || dup2(file, descriptor) < 0)
      _exit(fail(fmt::format("cannot write {}: {}", path, std::strerror(errno))));
  }
}

// gdb starts the rank itself, in the environment that it needs.
[[noreturn]] void become_debugger(Replay& replay, const std::string& server,
                                  const std::vector<std::string>& commands) {
  stay_alive();
  const std::string script = replay.scratch + "/gdb";
  std::ofstream file(script);
  file << "set startup-with-shell off\nset disable-randomization on\nset confirm off\nset "
          "breakpoint pending on\nhandle SIGTRAP nopass\n";
  for (const std::string& variable : environment_of(replay)) {
    const std::size_t equals = variable.find('=');
    if (variable.find('\n') != std::string::npos) continue;
    if (equals + 1 == variable.size())
      setenv(variable.substr(0, equals).c_str(), "",
             1);  // gdb hands its own on, and would have something to say about an empty one
    else
      file << "set environment " << variable.substr(0, equals) << " = "
           << variable.substr(equals + 1) << "\n";
  }
  file << "set environment PHOTOFINISH_REPLAY_STOPS = 1\n";
  file.close();
  if (chdir(replay.start.folder.c_str()) != 0)
    _exit(fail(fmt::format("cannot go to {}: {}", replay.start.folder, std::strerror(errno))));
  std::vector<std::string> line;
  if (server.empty()) {
    line = {"gdb", "-q", "-x", script};
    for (const std::string& command : commands) line.insert(line.end(), {"-ex", command});
    line.push_back("--args");
  } else {
    personality(static_cast<unsigned long>(personality(0xffffffff)) | ADDR_NO_RANDOMIZE);
    line = {"gdbserver", "--wrapper", "env", "-i", "PHOTOFINISH_REPLAY_STOPS=1"};
    for (const std::string& variable : environment_of(replay)) line.push_back(variable);
    line.insert(line.end(), {"--", server});
  }
  line.push_back(replay.start.program);
  line.insert(line.end(), replay.start.arguments.begin() + 1, replay.start.arguments.end());
  execvp(line[0].c_str(), pointers(line).data());
  _exit(fail(fmt::format("cannot start {}: {}; install it, or replay without it", line[0],
                         std::strerror(errno))));
}

// Its folders stay: an editor starts the ranks whenever it likes.
int write_editor_file(const ReplayArguments& arguments, const std::vector<WorldRank>& ranks) {
  const auto all =
      recorded_ranks(arguments.run);  // those of an entry that was written earlier as well
  if (!all) return fail(all.error().message);
  auto replays = prepare_replays(arguments.run, *all, absolute_path(arguments.run) + "/debugging");
  if (!replays) return fail(replays.error().message);
  // What the others give them must be there then.
  if (const auto given = give_all(*replays); !given) return fail(given.error().message);
  std::erase_if(*replays, [&](const Replay& replay) {
    return std::find(ranks.begin(), ranks.end(), replay.rank) == ranks.end();
  });
  if (const auto written = write_launch_file(arguments.editor_file, arguments.run, *replays);
      !written)
    return fail(written.error().message);
  fmt::print(stderr, "photofinish: {} starts rank{} {} under gdb\n", arguments.editor_file,
             ranks.size() > 1 ? "s" : "", rank_ranges(ranks));
  return kExitOk;
}

}  // namespace

int run_replay(const Options& options, const ReplayArguments& arguments) {
  const bool debugs = arguments.debugged >= 0;
  const auto ranks =
      chosen_ranks(arguments.run, debugs ? std::to_string(arguments.debugged) : arguments.ranks);
  if (!ranks) return fail(ranks.error().message);
  if (!arguments.editor_file.empty()) return write_editor_file(arguments, *ranks);
  const auto scratch = ScratchFolder::make();
  if (!scratch) return fail(scratch.error().message);
  auto replays = prepare_replays(arguments.run, *ranks, scratch->path());
  if (!replays) return fail(replays.error().message);
  for (Replay& replay : *replays) {
    if (debugs) replay.recorded_end.reset();  // the end that we see is gdb's
    if (options.verbose)
      fmt::print(stderr, "photofinish: {}{}\n", shown(replay),
                 replay.chosen ? "" : " (in silence: it gives the others what it gave them)");
  }
  if (!arguments.output.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(arguments.output, failed);
    if (failed)
      return fail(fmt::format("cannot make the folder {}: {}", arguments.output, failed.message()));
  }
  signal(
      SIGINT,
      SIG_IGN);  // the terminal sends it to the ranks as well; we stay to tell what became of them
  int code = 0;
  bool told = false;
  const auto codes = run_replays(*replays, [&](Replay& replay) {
    signal(SIGINT, SIG_DFL);
    if (debugs) become_debugger(replay, arguments.server, arguments.commands);
    if (!arguments.output.empty()) redirect(arguments.output, replay.rank);
    become_rank(replay);
  });
  if (!codes) return fail(codes.error().message);
  for (std::size_t i = 0; i < replays->size(); ++i) {
    const Replay& replay = (*replays)[i];
    // Of those that nobody asked for only what kept the others waiting.
    if (!replay.chosen &&
        (code != kExitDeparture || !read_departure(departure_path(replay.scratch))))
      continue;
    const int own = conclude(arguments.run, replay, (*codes)[i], told);
    if (code == 0) code = own;
  }
  if (!told && !debugs)
    fmt::print(stderr, "photofinish: rank{} {} ran again, to {} end: exit code {}\n",
               ranks->size() > 1 ? "s" : "", rank_ranges(*ranks),
               ranks->size() > 1 ? "their" : "its", code);
  return code;
}

}  // namespace photofinish
