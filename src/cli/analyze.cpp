// photofinish analyze: finds the races of a recorded run in its traces. Runs in this process, in
// several ones with -n, or in the processes that a launcher has started.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "analyze/analyze_run.h"
#include "cli/commands.h"
#include "cli/launched.h"
#include "cli/preload.h"
#include "cli/start.h"
#include "launch/launcher.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

// The MPI library that the run was recorded with, if known.
std::optional<MpiFlavour> flavour_of_run(const std::string& directory, WorldRank rank) {
  const auto trace = RankTrace::open(directory, rank);
  if (!trace) return std::nullopt;
  const std::string& mpi = (*trace)->definitions().rank.library;
  if (mpi.starts_with("Open MPI")) return MpiFlavour::OpenMpi;
  if (mpi.starts_with("MPICH")) return MpiFlavour::Mpich;
  return std::nullopt;
}

// See analyze_process.cpp.
std::vector<std::string> process_words(const std::string& program, const char* what, int processes,
                                       const std::string& directory, const Options& options) {
  return {program, what, std::to_string(processes), directory, format_options(options)};
}

Result<std::vector<std::string>> launch_line(MpiFlavour flavour, int processes,
                                             const std::string& directory, const Options& options) {
  const auto program = analysis_program(flavour);
  if (!program) return program.error();
  const auto inspected = inspect_program(*program);
  auto line = launcher_for(flavour, processes, inspected ? inspected->mpi_library : "");
  if (!line) return line;
  for (const std::string& word : process_words(*program, "findings", processes, directory, options))
    line->push_back(word);
  return line;
}

// Prefers the MPI library of the run; any other one works, too.
Result<std::vector<std::string>> launch_line(std::optional<MpiFlavour> recorded, int processes,
                                             const std::string& directory, const Options& options) {
  if (const auto chosen = chosen_flavour(options.mpi))
    return launch_line(*chosen, processes, directory, options);
  const MpiFlavour first = recorded.value_or(MpiFlavour::OpenMpi);
  const auto line = launch_line(first, processes, directory, options);
  if (line) return line;
  const auto other =
      launch_line(first == MpiFlavour::OpenMpi ? MpiFlavour::Mpich : MpiFlavour::OpenMpi, processes,
                  directory, options);
  return other ? other : line;
}

int analyze_by_several(const Options& options, const std::string& run, int processes) {
  UnwrittenFindings unwritten;
  const auto ranks = recorded_ranks(run);
  if (!ranks) return fail(ranks.error().message, kExitUsage);
  processes = std::min(processes, std::max(1, static_cast<int>(ranks->size())));
  if (processes > 1) {
    const auto line =
        launch_line(flavour_of_run(run, ranks->front()), processes, absolute_path(run), options);
    if (!line) return fail(line.error().message);
    Options quiet = options;
    quiet.progress = false;  // the analysis is not recorded
    quiet.deadlock_timeout = 0;
    const int code = start_and_wait(*line, quiet).code;
    if (code != 0) return code == kExitInterrupted ? code : kExitToolError;
  } else if (const auto done = analyze_alone(run, options, unwritten); !done) {
    return fail(done.error().message);
  }
  return run_report(options, {.run = run, .unwritten = std::move(unwritten)});
}

// A launcher has started several of these processes: continues as a process of that MPI.
int become_process(const Options& options, const std::string& run, int processes) {
  const auto ranks = recorded_ranks(run);
  if (!ranks) return fail_once(ranks.error().message, kExitUsage);
  auto flavour = chosen_flavour(options.mpi);
  if (!flavour) flavour = flavour_of_launcher();
  if (!flavour && !ranks->empty()) flavour = flavour_of_run(run, ranks->front());
  const auto program = analysis_program(flavour.value_or(MpiFlavour::OpenMpi));
  if (!program) return fail_once(program.error().message);
  const std::vector<std::string> line = process_words(*program, "report", processes, run, options);
  std::vector<char*> words;
  for (const std::string& word : line) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  return fail_once(fmt::format("cannot start {}: {}", *program, std::strerror(errno)));
}

}  // namespace

Result<bool> analyze_alone(const std::string& directory, const Options& options,
                           UnwrittenFindings& unwritten) {
  Alone alone;
  return analyze_run(
      directory, options, alone, [](const std::string& message) { fail(message); }, &unwritten);
}

int run_analyze(const Options& options, const AnalyzeArguments& arguments) {
  if (const auto usable = check_report_options(options); !usable)
    return fail_once(usable.error().message, kExitUsage);
  const int launched = launched_processes();
  if (launched == 1)
    return analyze_by_several(options, arguments.run, std::max(1, arguments.processes));
  if (arguments.processes != 0)
    return fail_once("a launcher already started several processes; remove -n", kExitUsage);
  return become_process(options, arguments.run, launched);
}

}  // namespace photofinish
