#include "cli/forced_order.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/preload.h"
#include "cli/replaying.h"
#include "launch/mpi_program.h"
#include "model/rank_list.h"
#include "report/confirmation_text.h"
#include "report/event_text.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

struct Forced {
  const Candidate& candidate;
  std::size_t order;
  Scope scope;
  const OrderTried* seen;  // by an earlier confirmation; null: never
};

std::string orders_text(const Candidate& candidate) {
  return candidate.orders.size() == 1 ? "only order 1"
                                      : fmt::format("orders 1 to {}", candidate.orders.size());
}

// What the user asks for, or what is wrong with it.
Result<Forced> forced_of(const ConfirmArguments& arguments, const std::vector<Candidate>& chosen,
                         const std::vector<Confirmation>& known) {
  const char* const option = arguments.record          ? "--record"
                             : arguments.debugged >= 0 ? "--gdb"
                                                       : "--order";
  if (chosen.size() != 1 || arguments.findings.empty())
    return Error{fmt::format("{} needs one finding: add --finding F1", option)};
  const Candidate& candidate = chosen.front();
  if (!candidate.impossible.empty())
    return Error{
        fmt::format("F{} cannot be confirmed: {}", candidate.number, candidate.impossible)};
  if (arguments.record && arguments.order == 0)
    return Error{fmt::format("--record needs one order: add --order N. F{} has {}",
                             candidate.number, orders_text(candidate))};
  const auto order = static_cast<std::size_t>(std::max(1, arguments.order)) - 1;
  if (order >= candidate.orders.size())
    return Error{fmt::format("F{} has {}", candidate.number, orders_text(candidate))};
  const Confirmation* before = find_confirmation(known, candidate.key);
  const bool was_seen =
      before != nullptr && order < before->orders.size() && !before->orders[order].ranks.empty();
  return Forced{candidate, order, arguments.every ? Scope::Every : Scope::One,
                was_seen ? &before->orders[order] : nullptr};
}

int print_error(const Error& error) {
  return fail(error.message, is_interrupted(error) ? kExitInterrupted : kExitToolError);
}

// Whether the order was seen; prints that.
bool print_tried(const Candidate& candidate, const Confirmer::Tried& tried) {
  if (tried.order.seen()) {
    fmt::print(stderr, "photofinish: F{} {} with {}: {}\n", candidate.number,
               tried.order.is_forced() ? "forced" : "happened", tried.order.name,
               tried.outcome->how);
    return true;
  }
  fmt::print(stderr,
             "photofinish: F{} was not observed{}: its access sites were reached {} and {} times\n",
             candidate.number, tried.order.outcome.empty() ? "" : " (" + tried.order.outcome + ")",
             tried.reached[0], tried.reached[1]);
  return false;
}

int exit_code(const Confirmer::Tried& tried, const Options& options) {
  return tried.outcome->code != 0 ? tried.outcome->code : findings_code(options);
}

int show_again(Confirmer& confirmer, const Options& options, const Forced& forced) {
  confirmer.launch().shows_output = true;
  const auto tried = confirmer.try_order(forced.candidate, forced.order, forced.scope, forced.seen);
  if (!tried) return print_error(tried.error());
  return print_tried(forced.candidate, *tried) ? exit_code(*tried, options) : kExitOk;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Replays the recorded run once. Returns how it differs from the recorded run; empty: it does not.
// What the program printed is compared if all of its ranks are recorded and have ended by
// themselves.
std::string difference_on_replay(const std::string& run, const Outcome& outcome, bool all_ranks,
                                 int timeout_s) {
  const auto folder = ScratchFolder::make();
  if (!folder) return folder.error().message;
  const int said = memfd_create("stderr", MFD_CLOEXEC);
  const pid_t child = fork();
  if (child < 0 || said < 0) return fmt::format("cannot replay it: {}", std::strerror(errno));
  if (child == 0) {
    dup2(said, STDERR_FILENO);
    alarm(static_cast<unsigned>(timeout_s));
    execl(own_path().c_str(), "photofinish", "replay", run.c_str(), "--output-dir",
          folder->path().c_str(), nullptr);
    _exit(kExitToolError);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::string why = text_of(fmt::format("/proc/self/fd/{}", said));
  close(said);
  if (WIFSIGNALED(status)) return fmt::format("no end after {} s", timeout_s);
  if (const int code = WEXITSTATUS(status); code == kExitDivergence || code == kExitToolError)
    return why.starts_with("photofinish: ") ? why.substr(13, why.find('\n') - 13)
                                            : fmt::format("it ended with {}", code);
  if (!all_ranks || failed(outcome)) return "";
  Outcome replayed;
  for (const auto& entry : std::filesystem::directory_iterator(folder->path()))
    if (entry.path().extension() == ".out")
      for (std::string& line : lines_of(text_of(entry.path())))
        replayed.lines.push_back(std::move(line));
  Outcome recorded;
  recorded.lines = outcome.lines;
  const Difference difference = compare(recorded, replayed, 0);
  if (difference.empty()) return "";
  return fmt::format("it prints '{}' instead of '{}'",
                     difference.only_other.empty() ? "" : difference.only_other.front(),
                     difference.only_one.empty() ? "" : difference.only_one.front());
}

// A new directory beside the checked run; an earlier one of that name is renamed.
Result<std::string> directory_for(const std::string& checked, const Forced& forced) {
  std::string run = checked;
  while (run.size() > 1 && run.ends_with('/')) run.pop_back();
  run += fmt::format(".F{}-order{}", forced.candidate.number, forced.order + 1);
  if (!is_run_directory(run)) return run;
  const auto renamed = set_aside_run(run);
  if (!renamed) return renamed.error();
  fmt::print(stderr, "photofinish: the earlier run is now {}\n", *renamed);
  return run;
}

int record_order(Confirmer& confirmer, const Options& options, const ConfirmArguments& arguments,
                 const Forced& forced) {
  Launch& launch = confirmer.launch();
  launch.recorded_ranks = arguments.recorded_ranks.empty() ? "all" : arguments.recorded_ranks;
  if (!arguments.recorded_ranks.empty()) {
    const auto ranks = parse_rank_list(arguments.recorded_ranks);
    if (!ranks) return fail(ranks.error().message, kExitUsage);
    if (ranks->rbegin()->value >= launch.world_size)
      return fail(fmt::format("there is no rank {}: {} ranks are numbered from 0",
                              ranks->rbegin()->value, launch.world_size),
                  kExitUsage);
  }
  const auto directory = directory_for(arguments.run, forced);
  if (!directory) return fail(directory.error().message);
  launch.recorded = *directory;
  std::string difference;
  Result<Confirmer::Tried> tried = Error{""};
  for (int attempt = 0; attempt < options.runs; ++attempt) {
    tried = confirmer.try_order(forced.candidate, forced.order, forced.scope, forced.seen);
    if (!tried || !tried->order.seen()) {
      remove_run_directory(*directory);
      if (!tried) return print_error(tried.error());
      print_tried(forced.candidate, *tried);
      return kExitOk;
    }
    difference = difference_on_replay(*directory, *tried->outcome, launch.recorded_ranks == "all",
                                      launch.timeout_s);
    if (difference.empty()) break;
  }
  fmt::print("{}", tried->printed);
  std::fflush(stdout);
  print_tried(forced.candidate, *tried);
  if (!difference.empty())
    return fail(fmt::format("{} was recorded, but its replay differs: {}", *directory, difference));
  const auto ranks = recorded_ranks(*directory);
  if (!ranks || ranks->empty()) return fail(*directory + ": nothing was recorded");
  // A rank of the race is worth debugging most.
  const auto& racing = tried->order.ranks;
  const auto debugged =
      std::find_first_of(racing.begin(), racing.end(), ranks->begin(), ranks->end());
  fmt::print(
      stderr,
      "photofinish: rank{0} {1} recorded in {2}. Next: photofinish replay {2} (--gdb {3}: rank "
      "{3} under gdb)\n",
      ranks->size() > 1 ? "s" : "", rank_ranges(*ranks), *directory,
      (debugged != racing.end() ? *debugged : ranks->front()).value);
  return exit_code(*tried, options);
}

// In gdb: the innermost frame of the program itself.
constexpr const char* kSelectFrame = R"(python
frame = gdb.newest_frame()
def is_ours(frame):
  library = (gdb.solib_name(frame.pc()) or "").rsplit("/", 1)[-1]
  return library.startswith(("libphotofinish", "libmpi", "libc.", "libpthread")) or \
      (frame.name() or "").startswith("__photofinish")
while frame is not None and is_ours(frame):
  frame = frame.older()
if frame is not None:
  frame.select()
gdb.execute("frame")
end
)";

// gdb in the foreground, attached to the rank.
void attach_debugger(pid_t process, const std::string& folder,
                     const std::vector<std::string>& commands) {
  const std::string script = folder + "/gdb";
  std::ofstream file(script);
  file << "set confirm off\nset breakpoint pending on\n";
  for (const std::string& command : skip_commands())
    file << "pipe " + command + " | cat > /dev/null\n";
  file << kSelectFrame;
  file.close();
  // Ctrl-C is for gdb.
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &before);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGINT, SIG_DFL);
    std::vector<std::string> line{"gdb", "-q", "-p", std::to_string(process), "-x", script};
    for (const std::string& command : commands) line.insert(line.end(), {"-ex", command});
    execvp(line[0].c_str(), pointers(line).data());
    _exit(kExitToolError);
  }
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  sigaction(SIGINT, &before, nullptr);
}

// First a run that shows where the two ranks meet, unless that is known; then one with gdb.
int debug_order(Confirmer& confirmer, const Options& options, const ConfirmArguments& arguments,
                const Forced& forced) {
  const Candidate& candidate = forced.candidate;
  if (const auto gdb = find_program("gdb"); !gdb)
    return fail("cannot find gdb: install it, or use --record and replay");
  OrderTried meeting;
  if (forced.seen != nullptr) {
    meeting = *forced.seen;
  } else {
    const auto tried = confirmer.try_order(candidate, forced.order, Scope::One, nullptr);
    if (!tried) return print_error(tried.error());
    if (!tried->order.seen()) return print_tried(candidate, *tried), kExitOk;
    meeting = tried->order;
  }
  const WorldRank rank(arguments.debugged);
  // The sender of a message race is not held.
  std::vector<WorldRank> held = meeting.ranks;
  if (candidate.schedule.kind == RaceKind::Message) held.resize(1);
  if (std::find(held.begin(), held.end(), rank) == held.end())
    return fail(fmt::format("{} {} has no access of F{} in this order: use --gdb {}",
                            confirmer.launch().process, rank.value, candidate.number,
                            held.size() == 1 || held[0] == held[1]
                                ? std::to_string(held[0].value)
                                : fmt::format("{} or --gdb {}", held[0].value, held[1].value)),
                kExitUsage);
  const auto folder = ScratchFolder::make();
  if (!folder) return fail(folder.error().message);
  confirmer.launch().shows_output = true;
  confirmer.launch().debug = [&](pid_t process) {
    attach_debugger(process, folder->path(), arguments.commands);
  };
  const auto tried = confirmer.try_order(candidate, forced.order, Scope::One, &meeting, rank);
  if (!tried) return print_error(tried.error());
  return print_tried(candidate, *tried) ? exit_code(*tried, options) : kExitOk;
}

}  // namespace

int force_order(Confirmer& confirmer, const Options& options, const ConfirmArguments& arguments,
                const std::vector<Candidate>& chosen, const std::vector<Confirmation>& known) {
  const auto forced = forced_of(arguments, chosen, known);
  if (!forced) return fail(forced.error().message, kExitUsage);
  if (arguments.record) return record_order(confirmer, options, arguments, *forced);
  if (arguments.debugged >= 0) return debug_order(confirmer, options, arguments, *forced);
  return show_again(confirmer, options, *forced);
}

}  // namespace photofinish
