#include "cli/replaying.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "base/private_file.h"
#include "base/temp_directory.h"
#include "cli/commands.h"
#include "cli/preload.h"
#include "launch/mpi_program.h"
#include "model/rank_list.h"
#include "record/shared_payloads.h"
#include "report/event_text.h"
#include "report/files.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

namespace fs = std::filesystem;

// The memory that MPI allocated for windows, and the symmetric heap: the process must reserve these
// addresses from the start. Static data is there already, so reserving it has no effect.
std::string window_memory(const Definitions& definitions) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> pieces;
  for (const auto& [id, win] : definitions.wins) {
    if ((win.flavour == WinFlavour::Allocate || win.flavour == WinFlavour::Symmetric) &&
        win.size > 0)
      pieces.insert({win.base, win.size});
    for (const WinSegment& segment : win.segments) pieces.insert({segment.address, segment.size});
  }
  std::string text;
  for (const auto& [address, bytes] : pieces)
    text += fmt::format("{}{:x}+{:x}", text.empty() ? "" : ",", address, bytes);
  return text;
}

// Whether several threads may call MPI concurrently, from the rank's first call.
bool has_many_threads(RankTrace& trace) {
  const Event* event = nullptr;
  return trace.next(event) && event->fields.has(Field::thread_level) &&
         event->fields[Field::thread_level] >= 3;
}

// The environment lies above the stack. The same number of variables and bytes keeps stack
// addresses equal. If that is impossible, stack addresses differ, which few programs notice.
void pad(std::vector<std::string>& variables, const StartInfo& recorded) {
  const auto bytes = [](const std::vector<std::string>& texts) {
    std::size_t sum = 0;
    for (const std::string& text : texts) sum += text.size() + 1;
    return sum;
  };
  const std::size_t count = recorded.environment.size() + recorded.left_out.size();
  while (variables.size() < count) {
    const std::size_t left = count - variables.size();
    std::string padding = fmt::format("PHOTOFINISH_{}=", left);
    const std::size_t now = bytes(variables) + padding.size() + 1,
                      wanted = bytes(recorded.environment) + recorded.left_out_bytes;
    if (left == 1 && now < wanted) padding.append(wanted - now, '.');
    variables.push_back(padding);
  }
}

}  // namespace

Result<std::vector<WorldRank>> chosen_ranks(const std::string& run, const std::string& wanted) {
  auto recorded = recorded_ranks(run);
  if (!recorded) return recorded.error();
  if (recorded->empty()) return Error{run + " has no recorded ranks"};
  if (wanted.empty()) return recorded;
  const auto list = parse_rank_list(wanted);
  if (!list) return list.error();
  for (const WorldRank rank : *list) {
    if (std::find(recorded->begin(), recorded->end(), rank) != recorded->end()) continue;
    if (const auto trace = RankTrace::open(run, recorded->front());
        trace && rank.value >= (*trace)->world_size())
      return Error{fmt::format("there is no rank {}: {} has {} ranks, numbered from 0", rank.value,
                               run, (*trace)->world_size())};
    return Error{fmt::format(
        "cannot replay rank {0}: it was not recorded ({1} has rank{2} {3}). Record it with: "
        "photofinish record --ranks {0} …",
        rank.value, run, recorded->size() > 1 ? "s" : "", rank_ranges(*recorded))};
  }
  return std::vector<WorldRank>(list->begin(), list->end());
}

namespace {

Result<Replay> prepare_replay(const std::string& run, WorldRank rank, const std::string& scratch) {
  auto start = read_start(run, rank);
  if (!start) return start.error();
  Replay replay{.rank = rank,
                .start = std::move(*start),
                .scratch = fmt::format("{}/rank-{}", scratch, rank.value),
                .settings = {},
                .recorded_end = {}};
  if (access(replay.start.program.c_str(), X_OK) != 0)
    return Error{fmt::format("cannot find the recorded program {}: {}", replay.start.program,
                             std::strerror(errno))};
  if (hash_of_file(replay.start.program) != replay.start.program_hash)
    fmt::print(
        stderr,
        "photofinish: {} has changed since it was recorded; the replay stops where it diverges\n",
        replay.start.program);
  const auto trace = RankTrace::open(run, rank);
  if (!trace) return trace.error();
  if (!(*trace)->vocabulary().has_current_numbers())
    return Error{fmt::format(
        "{} was recorded by another version of photofinish, which numbers calls differently; "
        "replay it with that version, or record the program again",
        run)};
  if (!(*trace)->damage().empty())
    fmt::print(stderr, "photofinish: {}; the replay stops where the record ends\n",
               (*trace)->damage());
  const RankEnd end = (*trace)->end();
  if (end.state == RankState::Exited) replay.recorded_end = end.code & 255;
  if (end.state == RankState::Signaled) replay.recorded_end = 128 + end.code;
  const MpiFlavour flavour = (*trace)->definitions().rank.library.starts_with("MPICH")
                                 ? MpiFlavour::Mpich
                                 : MpiFlavour::OpenMpi;
  const auto library = preload_library(flavour);
  if (!library) return library.error();
  const auto outside = outside_library();
  if (!outside) return outside.error();
  if (!make_private_directories(replay.scratch))
    return Error{
        fmt::format("cannot make the directory {}: {}", replay.scratch, std::strerror(errno))};
  std::string preloads, before;
  for (const std::string& variable : replay.start.environment) {
    if (variable.starts_with("LD_PRELOAD=")) preloads = variable.substr(11);
    if (variable.starts_with("PHOTOFINISH_PRELOAD_BEFORE=")) before = variable.substr(27);
  }
  Options options;
  options.output = replay.scratch;
  options.record = "all";
  replay.settings = {
      {"LD_PRELOAD", *library + ":" + *outside + (before.empty() ? "" : ":" + before)},
      {"PHOTOFINISH_PRELOAD_BEFORE", before},
      {"PHOTOFINISH_OPTIONS", format_options(options)},
      {"PHOTOFINISH_ACTIVE", "1"},
      {"PHOTOFINISH_REPLAY", absolute_path(run)},
      {"PHOTOFINISH_REPLAY_RANK", std::to_string(rank.value)},
      {"PHOTOFINISH_REPLAY_MEMORY", window_memory((*trace)->definitions())}};
  if (!replay.start.left_out.empty())
    replay.settings.push_back(
        {"PHOTOFINISH_REPLAY_LEFT_OUT", fmt::format("{}", fmt::join(replay.start.left_out, ","))});
  replay.settings.push_back({"PMIX_MCA_gds", "hash"});  // as in the recorded run
  // A singleton without a daemon, and windows of one process. Each has a session directory of its
  // own, because Open MPI gives files of all singletons the same names. Of the components for
  // windows of one process in Open MPI 4, pt2pt is the fastest, but it does not support several
  // threads. ucx, if present, has precedence over it.
  if (flavour == MpiFlavour::OpenMpi)
    for (const auto& [name, value] : std::initializer_list<std::pair<std::string, std::string>>{
             {"ess_singleton_isolated", "1"},
             {"orte_tmpdir_base", replay.scratch},
             {"pml", "ob1"},
             {"btl", "self"}})
      replay.settings.push_back({"OMPI_MCA_" + name, value});
  if ((*trace)->definitions().rank.library.starts_with("Open MPI v4"))
    replay.settings.push_back({"OMPI_MCA_osc", has_many_threads(**trace) ? "pt2pt,ucx" : "pt2pt"});
  return replay;
}

std::string payloads_path(const Replay& replay) {
  return fs::path(replay.scratch).parent_path() / "offers";
}

}  // namespace

Result<std::vector<Replay>> prepare_replays(const std::string& run,
                                            const std::vector<WorldRank>& ranks,
                                            const std::string& scratch) {
  std::vector<Replay> replays;
  std::map<WorldRank, std::vector<std::uint64_t>> wanted;
  std::vector<WorldRank> all = ranks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto trace = RankTrace::open(run, all[i]);
    if (!trace)
      return i < ranks.size()
                 ? trace.error()
                 : Error{fmt::format("rank {} is needed because it sends to the others: {}",
                                     all[i].value, trace.error().message)};
    for (auto& [from, numbers] : read_taken(**trace)) {
      if (std::find(all.begin(), all.end(), from) == all.end()) all.push_back(from);
      std::vector<std::uint64_t>& of_it = wanted[from];
      of_it.insert(of_it.end(), numbers.begin(), numbers.end());
    }
    auto replay = prepare_replay(run, all[i], scratch);
    if (!replay) return replay.error();
    replay->chosen = i < ranks.size();
    replays.push_back(std::move(*replay));
  }
  if (wanted.empty()) return replays;
  const std::string path = payloads_path(replays[0]);
  const auto earlier = PayloadFiles::open(path, ranks[0]);  // the folder of an editor remains
  if (!earlier || !(*earlier)->is_complete())
    if (const auto made = PayloadFiles::make(path, wanted); !made) return made.error();
  for (Replay& replay : replays) replay.settings.push_back({"PHOTOFINISH_REPLAY_OFFERS", path});
  return replays;
}

std::vector<std::string> environment_of(const Replay& replay) {
  std::vector<std::string> variables;
  std::set<std::string> set;
  for (const auto& [name, value] : replay.settings) {
    variables.push_back(name + "=" + value);
    set.insert(name);
  }
  for (const std::string& variable : replay.start.environment)
    if (!is_of_launcher(variable) && !set.contains(variable.substr(0, variable.find('='))))
      variables.push_back(variable);
  pad(variables, replay.start);
  return variables;
}

Result<std::string> write_gdb_script(const Replay& replay, bool alone) {
  std::string text =
      "set startup-with-shell off\nset disable-randomization on\nset confirm off\nset breakpoint "
      "pending on\nhandle SIGTRAP nopass\n";
  for (const std::string& command : skip_commands())  // gdb would print a line for each
    text += "pipe " + command + " | cat > /dev/null\n";
  if (alone) text += "unset environment\n";
  std::vector<std::string> variables = environment_of(replay);
  variables.push_back("PHOTOFINISH_REPLAY_STOPS=1");
  for (const std::string& variable : variables) {
    const std::size_t equals = variable.find('=');
    if (variable.find('\n') == std::string::npos && (alone || equals + 1 < variable.size()))
      text += "set environment " + variable.substr(0, equals) + " = " +
              variable.substr(equals + 1) + "\n";
  }
  std::string path = replay.scratch + "/gdb";
  const int file = create_private(path, O_WRONLY);
  const bool written = file >= 0 && write_whole(file, text);
  const int error = errno;
  if (file >= 0) close(file);
  if (!written) return Error{fmt::format("cannot write {}: {}", path, std::strerror(error))};
  return path;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

void become_rank(Replay& replay) {
  if (chdir(replay.start.folder.c_str()) != 0) {
    fail(fmt::format("cannot change to {}, where the recorded program ran: {}", replay.start.folder,
                     std::strerror(errno)));
    _exit(kExitToolError);
  }
  personality(static_cast<unsigned long>(personality(0xffffffff)) | ADDR_NO_RANDOMIZE);
  std::vector<std::string> environment = environment_of(replay);
  execve(replay.start.name.c_str(), pointers(replay.start.arguments).data(),
         pointers(environment).data());
  fail(fmt::format("cannot start {}: {}", replay.start.program, std::strerror(errno)));
  _exit(kExitToolError);
}

void silence() {
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0) return;
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, file);
}

namespace {

// Null if there are no messages inside the group.
Result<std::unique_ptr<PayloadFiles>> payloads_of(const std::vector<Replay>& replays) {
  const std::string path = payloads_path(replays[0]);
  if (!fs::exists(path)) return std::unique_ptr<PayloadFiles>();
  return PayloadFiles::open(path, replays[0].rank);
}

// A silent replay has its own process group: its children end with it.
void end_silent(const std::vector<Replay>& replays) {
  for (const Replay& replay : replays)
    if (!replay.chosen && replay.process > 0) kill(-replay.process, SIGKILL);
}

Result<bool> start_all(std::vector<Replay>& replays, const std::function<void(Replay&)>& start) {
  const pid_t self = getpid();
  for (Replay& replay : replays) {
    replay.process = fork();
    if (replay.process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // it may wait for a process that would never end
      if (getppid() != self) _exit(kExitToolError);
      if (replay.chosen) start(replay);
      setpgid(0, 0);
      signal(SIGINT, SIG_DFL);
      silence();
      become_rank(replay);
    }
    if (replay.process > 0 && !replay.chosen) setpgid(replay.process, replay.process);
    if (replay.process > 0) continue;
    const Error error{fmt::format("cannot start another process: {}", std::strerror(errno))};
    for (const Replay& other : replays)
      if (other.process > 0) kill(other.process, SIGKILL);
    return error;
  }
  return true;
}

}  // namespace

void stay_alive() { prctl(PR_SET_PDEATHSIG, 0); }

Result<std::vector<int>> run_replays(std::vector<Replay>& replays,
                                     const std::function<void(Replay&)>& start) {
  std::vector<int> codes(replays.size());
  if (replays.empty()) return codes;
  const auto payloads = payloads_of(replays);
  if (!payloads) return payloads.error();
  if (const auto started = start_all(replays, start); !started) return started.error();
  for (std::size_t running = replays.size(); running > 0;) {
    if (std::none_of(replays.begin(), replays.end(),
                     [](const Replay& replay) { return replay.chosen && replay.process > 0; }))
      end_silent(replays);
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < replays.size(); ++i) {
      if (replays[i].process != ended) continue;
      replays[i].process = 0;
      codes[i] = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      if (*payloads != nullptr) (*payloads)->has_ended(replays[i].rank);
      --running;
    }
  }
  return codes;
}

Result<bool> give_all(std::vector<Replay>& replays) {
  const auto payloads = payloads_of(replays);
  if (!payloads) return payloads.error();
  if (*payloads == nullptr || (*payloads)->is_complete()) return true;
  for (Replay& replay : replays) replay.chosen = false;
  if (const auto started = start_all(replays, [](Replay&) {}); !started) return started.error();
  for (std::size_t running = replays.size(); running > 0;) {
    if ((*payloads)->is_complete())
      end_silent(replays);  // a rank may run forever, which may be why the user debugs it
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (ended < 0 && errno != EINTR) break;
    for (Replay& replay : replays) {
      if (ended <= 0 || replay.process != ended) continue;
      (*payloads)->has_ended(replay.rank);
      replay.process = 0;
      --running;
    }
  }
  return true;
}

Result<ScratchFolder> ScratchFolder::make() {
  const auto path = make_temp_directory(fs::temp_directory_path().string(), "photofinish-replay");
  if (!path)
    return Error{fmt::format("cannot make a directory for the replay: {}", std::strerror(errno))};
  return ScratchFolder(*path);
}

std::vector<std::string> skip_commands() {
  // By name for functions that the program calls (mpi_send_ for Fortran), by file for replacements
  // of libc functions. gdb compares the end of the path.
  return {"skip -rfu ^MPI_",
          "skip -rfu ^PMPI_",
          "skip -rfu ^mpi_.*_$",
          "skip -rfu ^shmem_",
          "skip -rfu ^photofinish::",
          "skip -rfu ^__photofinish",
          "skip -file runtime/external_input.cpp",
          "skip -file runtime/heap.cpp"};
}

}  // namespace photofinish
