#include "cli/confirming_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/printable.h"
#include "cli/commands.h"
#include "cli/rank_line.h"
#include "cli/start.h"
#include "model/rank_list.h"
#include "trace/format.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;
constexpr auto kGrace = 2s;  // for a launcher to end its ranks
constexpr auto kStallCheck = 100ms;
constexpr auto kProof = 300ms;  // ranks that wait for so long may be deadlocked

volatile sig_atomic_t g_interrupted = 0;

// While a run is under way, Ctrl-C is noted. Several may be, each in a thread of its own.
class InterruptNote {
 public:
  InterruptNote() {
    const std::lock_guard lock(mutex_);
    if (users_++ > 0) return;
    struct sigaction note{};
    note.sa_handler = [](int) { g_interrupted = 1; };
    sigaction(SIGINT, &note, &before_int_);
    sigaction(SIGTERM, &note, &before_term_);
  }
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;
  ~InterruptNote() {
    const std::lock_guard lock(mutex_);
    if (--users_ > 0) return;
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
  }

 private:
  static inline std::mutex mutex_;
  static inline int users_ = 0;
  static inline struct sigaction before_int_{}, before_term_{};
};

std::string whole_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What the program prints, in memory: output that a full disk cuts short would look like the
// program's own, and two orders alike.
class Captured {
 public:
  explicit Captured(const char* name) : file_(memfd_create(name, MFD_CLOEXEC)) {}
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() {
    if (file_ >= 0) close(file_);
  }
  int file() const { return file_; }
  std::string text() const { return whole_text(fmt::format("/proc/self/fd/{}", file_)); }

 private:
  int file_;
};
struct Output {
  Captured out{"stdout"}, err{"stderr"};
};

// Launchers put ranks into groups of their own; the run's token stays with each.
std::vector<pid_t> processes_of(const std::string& token) {
  std::vector<pid_t> found;
  const std::string mark = "PHOTOFINISH_TOKEN=" + token;
  DIR* all = opendir("/proc");
  if (all == nullptr) return found;
  while (const dirent* entry = readdir(all)) {
    const int pid = std::atoi(entry->d_name);
    if (pid <= 0 || pid == getpid()) continue;
    if (whole_text(fmt::format("/proc/{}/environ", pid)).find(mark) != std::string::npos)
      found.push_back(pid);
  }
  closedir(all);
  return found;
}

void end_all(const std::string& token) {
  const auto until = Clock::now() + kGrace;
  for (std::vector<pid_t> left = processes_of(token); !left.empty() && Clock::now() < until;
       left = processes_of(token)) {
    for (const pid_t pid : left) kill(pid, SIGKILL);
    std::this_thread::sleep_for(20ms);
  }
}

struct Ended {
  int code = 0;
  bool in_time = true, stalled = false;
  std::optional<WorldRank> stopped = {};  // a rank that was stopped when the time was over
};

bool wait_until(pid_t child, int& status, Clock::time_point until,
                const std::function<bool()>& tick = {}, bool interruptible = true) {
  while (true) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) return true;
    if (Clock::now() >= until || (interruptible && g_interrupted != 0)) return false;
    if (tick && !tick()) return false;
    std::this_thread::sleep_for(2ms);
  }
}

// In the child: redirects the program's output and enters its working directory.
void enter(const Launch& launch, const Output& output) {
  // A group of its own: Ctrl-C is for us, and we end it.
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (!launch.shows_output) {
    dup2(output.out.file(), STDOUT_FILENO);
    dup2(output.err.file(), STDERR_FILENO);
  }
  if (!launch.folder.empty() && chdir(launch.folder.c_str()) != 0) _exit(kExitToolError);
}

// Until the user has left the debugger. True if the program has ended.
bool let_debug(pid_t child, int& status, const std::string& directory, WorldRank rank,
               const std::string& token, const Launch& launch) {
  pid_t stopped = 0;
  const auto tick = [&] {
    stopped = stopped_process(directory, rank);
    return stopped == 0;
  };
  const bool ended = wait_until(child, status, Clock::time_point::max(), tick);
  const std::vector<pid_t> here = processes_of(token);
  if (std::find(here.begin(), here.end(), stopped) != here.end())
    launch.debug(stopped);
  else if (stopped != 0)
    fail(fmt::format("cannot debug {0} {1}: it runs on another node. Start all {0}s on this one",
                     launch.process, rank.value));
  release_stopped(directory, rank);
  return ended;
}

Result<Ended> start(const std::vector<std::string>& line, const std::string& directory,
                    const Output& output, const std::string& token, const Launch& launch,
                    const Schedules& schedules) {
  if (output.out.file() < 0 || output.err.file() < 0)
    return Error{fmt::format("cannot capture the program's output: {}", std::strerror(errno))};
  static std::once_flag once;
  std::call_once(once, allow_root);
  if (launch.verbose) fmt::print(stderr, "photofinish: {}\n", fmt::join(line, " "));
  std::fflush(nullptr);
  std::vector<char*> words;
  for (const std::string& word : line) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return Error{fmt::format("cannot start {}: {}", line[0], std::strerror(errno))};
  if (child == 0) {
    enter(launch, output);
    execvp(words[0], words.data());
    _exit(kExitToolError);
  }
  const InterruptNote interrupt_note;
  int status = 0;
  Ended ended;
  StallWatch watch(directory, schedules.findings.size(), launch.world_size);
  auto progress = Clock::now(), checked = progress, proof = progress + kProof;
  const auto tick = [&] {
    if (launch.tick) launch.tick();
    const auto now = Clock::now();
    if (launch.stall_s == 0 || now - checked < kStallCheck) return true;
    checked = now;
    if (!watch.is_stalled()) progress = now, proof = now + kProof;
    if (launch.is_deadlocked && now >= proof) {
      proof = now + 4 * kProof;
      ended.stalled = launch.is_deadlocked(directory);
      if (ended.stalled) return false;
    }
    ended.stalled = now - progress >= std::chrono::seconds(launch.stall_s);
    return !ended.stalled;
  };
  const bool is_over =
      launch.debug &&
      let_debug(child, status, directory, schedules.findings.front().debugged, token, launch);
  progress = Clock::now();
  ended.in_time =
      is_over ||
      wait_until(child, status, Clock::now() + std::chrono::seconds(launch.timeout_s), tick);
  if (!ended.in_time) {
    ended.stopped = watch.stopped_rank();
    kill(-child, SIGTERM);
    if (!wait_until(child, status, Clock::now() + kGrace, {}, false)) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
    }
  }
  end_all(token);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

// The number of ranks of a run that a launcher's line started; 0: none is on record.
int recorded_size(const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks || ranks->empty()) return 0;
  const auto trace = RankTrace::open(directory, ranks->front());
  return trace ? (*trace)->world_size() : 0;
}

// The first ranks that failed, in words, without those that others stopped.
std::string how_it_ended(const std::string& directory, const Ended& ended, const Launch& launch,
                         int world_size) {
  if (ended.stalled) return fmt::format("hangs: all {}s wait", launch.process);
  if (!ended.in_time)
    return fmt::format("no end after {} s{}", launch.timeout_s,
                       ended.stopped
                           ? fmt::format(": {} {} is stopped", launch.process, ended.stopped->value)
                           : "");
  std::string how;
  int reported = 0;
  for (int rank = 0; rank < world_size && ended.code != 0 && reported < 3; ++rank) {
    const auto trace = RankTrace::open(directory, WorldRank(rank));
    if (!trace) continue;
    const RankEnd& end = (*trace)->end();
    const bool signaled =
        end.state == RankState::Signaled && end.code != SIGTERM && end.code != SIGKILL;
    if (signaled)
      how += fmt::format(", {} {}: {}", launch.process, rank, strsignal(end.code));
    else if (end.state == RankState::Aborted)
      how += fmt::format(", {} {}: {} with {}", launch.process, rank,
                         launch.process == "PE"       ? "shmem_global_exit"
                         : launch.process == "thread" ? "upc_global_exit"
                                                      : "MPI_Abort",
                         end.code);
    else if (end.state == RankState::Exited && end.code != 0)
      how += fmt::format(", {} {}: exit {}", launch.process, rank, end.code);
    else
      continue;
    ++reported;
  }
  return fmt::format("exit code {}{}", ended.code, how);
}

// Removes what can be removed; true if that was all. (std::filesystem::remove_all stops at the
// first file that cannot be.)
bool remove_tree(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(std::filesystem::symlink_status(path, error)))
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error))
      remove_tree(entry->path());
  std::filesystem::remove(path, error);
  return !error;
}

// Why no rank was steered.
std::string not_steered(const Output& output, const Outcome& outcome) {
  for (const std::string& line : lines_of(output.err.text()))
    if (line.starts_with("photofinish: "))
      return printable(line.substr(std::strlen("photofinish: ")));
  return fmt::format("no rank of the program completed MPI_Init: {}", outcome.how);
}

// What the program printed on standard error. If it failed, the launcher printed there, too.
std::vector<std::string> errors_of_program(const Output& output, const Outcome& outcome) {
  if (failed(outcome)) return {};
  std::vector<std::string> lines = lines_of(output.err.text());
  std::erase_if(lines, [](const std::string& line) {
    return line.find("photofinish: ") != std::string::npos;
  });
  return lines;
}

// Why the tool stopped in a rank before the program did; empty: it stopped in none.
std::string failure_of_tool(const std::string& directory, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    const auto trace = RankTrace::open(directory, WorldRank(rank));
    if (!trace || !(*trace)->end().incomplete) continue;
    const auto& known = (*trace)->definitions().incompletes;
    const auto why = known.find(IncompleteId(0));
    if (why != known.end() && why->second.reason != IncompleteReason::OtherRank)
      return fmt::format("rank {}: {}", rank, printable(why->second.text));
  }
  return "";
}

}  // namespace

namespace {

// Of a recorded run, what replay needs stays: the traces of the recorded ranks, and the schedule.
void leave_recorded(const std::string& directory, const Launch& launch) {
  std::error_code ignored;
  const auto ranks = parse_rank_list(launch.recorded_ranks);  // no list: all
  std::filesystem::remove(directory + kTableFile, ignored);
  for (int rank = 0; rank < launch.world_size; ++rank) {
    std::filesystem::remove(rank_result_path(directory, WorldRank(rank)), ignored);
    if (!ranks || ranks->contains(WorldRank(rank))) continue;
    for (const std::string& path :
         {trace_path(directory, WorldRank(rank)), live_path(directory, WorldRank(rank))})
      std::filesystem::remove(path, ignored);
  }
}

}  // namespace

// A name of its own for each run: on NFS, a file that is still open when it is removed stays for a
// while, and with it the directory.
Result<ConfirmingRun> run_schedules(const std::string& parent, const Schedules& schedules,
                                    const Launch& launch) {
  const bool records = !launch.recorded.empty();
  const std::string token = new_token(),
                    directory = records ? absolute_path(launch.recorded) : parent + "/" + token;
  std::error_code ignored;  // if it is not there, making the run's own says why
  if (!records) std::filesystem::create_directory(parent, ignored);
  Options options = launch.options;
  options.output = directory;
  options.offline = true;
  options.overwrite = false;
  options.record = launch.recorded_ranks;
  const auto line = rank_line(options, launch.ranks, launch.command, token);
  if (!line) return line.error();
  const RunInfo info{.token = token,
                     .command = launch.command,
                     .ranks = launch.ranks,
                     .options = format_options(options),
                     .folder = launch.folder.empty() ? absolute_path("") : launch.folder};
  if (const auto made = create_run_directory(directory, info, records); !made) return made.error();
  if (const auto written = write_schedules(directory, schedules); !written) return written.error();
  if (launch.prepare)
    if (const auto prepared = launch.prepare(directory); !prepared) return prepared.error();

  const Output output;
  const auto ended = start(*line, directory, output, token, launch, schedules);
  if (!ended) return ended.error();
  const int world_size = launch.world_size > 0 ? launch.world_size : recorded_size(directory);

  ConfirmingRun run;
  run.interrupted = g_interrupted != 0;
  run.outcome.code = ended->code;
  run.outcome.ended = ended->in_time;
  run.outcome.how = how_it_ended(directory, *ended, launch, world_size);
  if (!launch.shows_output) {
    run.printed = output.out.text();
    run.outcome.lines = without_launcher(lines_of(run.printed));
    const std::vector<std::string> errors = errors_of_program(output, run.outcome);
    run.outcome.lines.insert(run.outcome.lines.end(), errors.begin(), errors.end());
    std::erase_if(run.outcome.lines, is_of_ucx);
  }
  for (const std::string& name : launch.compare) {
    const std::string path =
        name.starts_with('/') || launch.folder.empty() ? name : launch.folder + "/" + name;
    run.outcome.files.push_back(
        {name, access(path.c_str(), F_OK) == 0, lines_of(whole_text(path))});
  }
  if (launch.ignore) {
    const auto is_ignored = [&](const std::string& line) {
      return std::regex_search(line, *launch.ignore);
    };
    std::erase_if(run.outcome.lines, is_ignored);
    for (Outcome::File& file : run.outcome.files) std::erase_if(file.lines, is_ignored);
  }
  const std::vector<RankResult> results = read_rank_results(directory, world_size);
  const bool steered = std::any_of(results.begin(), results.end(),
                                   [](const RankResult& result) { return result.steered != 0; });
  if (!steered && !run.interrupted) return Error{not_steered(output, run.outcome)};
  run.tool_failure = failure_of_tool(directory, world_size);
  for (std::size_t finding = 0; finding < schedules.findings.size(); ++finding)
    run.verdicts.push_back(verdict_of(results, finding));
  if (launch.inspect) launch.inspect(directory);
  if (records)
    leave_recorded(directory, launch);
  else
    remove_tree(directory);
  return run;
}

void remove_confirming_runs(const std::string& parent) {
  const auto until = Clock::now() + kGrace;
  while (!remove_tree(parent) && Clock::now() < until) std::this_thread::sleep_for(100ms);
  if (std::filesystem::exists(parent))
    fmt::print(stderr,
               "photofinish: cannot remove {}: some of its files are still open. Remove it when "
               "nothing uses it\n",
               parent);
}

}  // namespace photofinish
