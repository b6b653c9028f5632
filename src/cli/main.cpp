// photofinish: parses the command line, separates the options of the table (options.def) from those
// of a command, and calls the command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>
#include <string>

#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/help_format.h"
#include "cli/nearest.h"
#include "cli/programming_model.h"
#include "cli/typed_words.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

std::string flag_name(std::string_view option) {
  std::string flag = "--" + std::string(option);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return option == "output" ? "-o," + flag : option == "quiet" ? "-q," + flag : flag;
}

// What --help shows as the value of an option.
std::string type_of(const std::string& option) {
  static const std::map<std::string, std::string> kTypes = {
      {"output", "DIR"},   {"mpi", "MPI"},        {"sample", "off|on"},  {"budget", "FACTOR"},
      {"record", "RANKS"}, {"keep_env", "NAMES"}, {"tolerance", "X"},    {"suppressions", "FILE"},
      {"baseline", "RUN"}, {"group_by", "KEY"},   {"source_root", "DIR"}};
  const auto found = kTypes.find(option);
  return found == kTypes.end() ? "TEXT" : found->second;
}

// Accepts a positive number.
CLI::Validator number_of(const std::string& what) {
  return CLI::Validator(
      [what](std::string& value) {
        const CLI::Range range(1, 1 << 24);
        return range(value).empty() ? std::string()
                                    : fmt::format("'{}' is not a number of {}", value, what);
      },
      "INT in [1 - 16777216]");
}

// Options of the table given on the command line; applied after PHOTOFINISH_OPTIONS, so that they
// override it.
using Given = std::vector<std::pair<std::string, std::string>>;

using Names = std::vector<std::string_view>;
const Names kOfConfirm = {"alternatives", "message_rendezvous", "pause_ms", "runs",
                          "timeout",      "together",           "tolerance"};
const Names kOfGroup = {"time"};
const Names kOfReport = {
    "suppressions", "builtin_suppressions", "gen_suppressions", "baseline",       "max_findings",
    "group_by",     "source_root",          "exit_zero",        "error_exitcode", "quiet"};
const Names kOfLaunch = {"deadlock_timeout"};
const Names kOfDiff = {"suppressions", "builtin_suppressions", "exit_zero", "error_exitcode"};

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names all_but(const std::vector<Names>& left_out) {
  Names names;
  for (const OptionInfo& info : option_table())
    if (std::none_of(left_out.begin(), left_out.end(),
                     [&](const Names& some) { return contains(some, info.name); }))
      names.push_back(info.name);
  return names;
}

Names and_those(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

void add_table_options(CLI::App& command, Given& given, const Names& wanted) {
  for (const OptionInfo& info : option_table()) {
    if (!contains(wanted, info.name)) continue;
    const std::string name(info.name);
    const bool is_switch = info.type == "bool";
    CLI::Option* added = nullptr;
    const std::string help = fmt::format(
        "{}{}", info.help,
        is_switch                    ? (info.default_value == "1" ? " Default: on." : "")
        : info.default_value.empty() ? ""
                                     : fmt::format(" Default: {}.", info.default_value));
    if (is_switch) {
      const std::string off = info.default_value == "1"
                                  ? flag_name(name) + ",!--no-" + flag_name(name).substr(2)
                                  : flag_name(name);
      added = command.add_flag(
          off,
          [&given, name](std::int64_t count) { given.emplace_back(name, count > 0 ? "1" : "0"); },
          help);
    } else if (const std::string_view alone = value_alone(name); !alone.empty()) {
      // A flag with an optional value, only after "=": the next word is the program.
      static std::string unused;
      added =
          command.add_flag(fmt::format("{}{{{}}}", flag_name(name), alone), unused, help)
              ->each([&given, name](const std::string& value) { given.emplace_back(name, value); });
    } else {
      added = command
                  .add_option(
                      flag_name(name),
                      [&given, name](const CLI::results_t& values) {
                        given.emplace_back(name, values[0]);
                        return true;
                      },
                      help)
                  ->type_name(info.type == "int" ? "N" : type_of(name));
    }
    if (info.is_advanced) added->group(kAdvancedOptions);
  }
}

Result<Options> resolve(const Given& given, const std::string& inherited) {
  const char* environment = std::getenv("PHOTOFINISH_OPTIONS");
  auto options = parse_options(environment != nullptr ? environment : "");
  if (!options) return Error{"PHOTOFINISH_OPTIONS: " + options.error().message};
  options = parse_options(inherited, *options);
  if (!options) return options;
  for (const auto& [name, value] : given)
    if (const auto set = set_option(*options, name, value); !set) return set.error();
  return options;
}

// The program's command line: the words that CLI11 left, and those after a "--". If the program was
// named before the "--", the "--" is one of its arguments.
std::vector<std::string> program_line(const CLI::App& command,
                                      const std::vector<std::string>& behind, bool dashes) {
  std::vector<std::string> words = command.remaining();
  if (!words.empty() && dashes) words.push_back("--");
  words.insert(words.end(), behind.begin(), behind.end());
  return words;
}

// The run that a command reads: by default that of the last check.
void add_run(CLI::App& command, std::string& run) {
  run = Options{}.output;
  command.add_option("run", run, fmt::format("Run directory. Default: {}.", run))->type_name("RUN");
}

void add_findings(CLI::App& command, std::vector<std::string>& findings, const std::string& help) {
  command.add_option("--finding", findings, help)
      ->delimiter(',')
      ->type_name("F")
      ->allow_extra_args(false);
}

void add_report_file(CLI::App& command, const std::string& flag, ReportFile& report,
                     const std::string& formats, const std::string& files) {
  command.add_option("--format", report.format, formats)
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kReportFormats), std::end(kReportFormats))))
      ->type_name("FORMAT");
  command.add_option(flag + "--output-file", report.file, files)->type_name("FILE");
}

int run(int argc, char** argv) {
  CLI::App app{
      "Finds races in MPI programs, proves them by running both orders, and replays any rank under "
      "gdb.",
      "photofinish"};
  app.set_version_flag("--version", "photofinish " PHOTOFINISH_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.formatter(std::make_shared<HelpFormat>());
  app.footer(
      "Exit codes: the program's own if it fails; otherwise 0 no findings, 64 usage error, 66 "
      "findings, 67 no findings but not everything was checked, 70 tool error, 71 interrupted, 72 "
      "replay diverged.\n"
      "Every option can also be set in the environment: "
      "PHOTOFINISH_OPTIONS=\"stack_depth=8:verbose=1\".\n"
      "Start with: photofinish check -n 4 ./app. Help on a command: photofinish COMMAND --help.");
  Given given;

  CheckArguments check;
  CLI::App* check_command = app.add_subcommand(
      "check", "Run a program and find its races; exit code 66 if there are any.");
  check_command
      ->add_option("-n,--np", check.ranks,
                   "Number of ranks; uses the launcher of the program's MPI.")
      ->check(number_of("ranks"))
      ->type_name("N");
  check_command->footer(
      "photofinish check [OPTIONS] -n N PROGRAM ARGS…\nphotofinish check [OPTIONS] -- LAUNCHER … "
      "PROGRAM ARGS…");
  check_command->prefix_command();
  add_report_file(
      *check_command, "", check.report,
      "Also write a report: json, sarif, html, perfetto or otf2. Text is always printed.",
      "File for that report, folder for otf2, or - for standard output. Default: report.FORMAT in "
      "the run directory.");
  add_table_options(*check_command, given, all_but({kOfConfirm, kOfGroup}));

  ExecArguments exec;
  std::string inherited;
  CLI::App* exec_command = app.add_subcommand("exec",
                                              "Run one rank of a program under your own launcher: "
                                              "mpirun -n 4 photofinish exec PROGRAM ARGS…");
  exec_command->footer("LAUNCHER … photofinish exec [OPTIONS] PROGRAM ARGS…");
  exec_command->add_option("--token", exec.token)->group("");
  exec_command->add_option("--options", inherited)->group("");
  exec_command->prefix_command();
  add_table_options(*exec_command, given, all_but({kOfConfirm, kOfGroup, kOfReport, kOfLaunch}));

  DumpArguments dump;
  CLI::App* dump_command = app.add_subcommand("dump", "Print the events of a run.");
  add_run(*dump_command, dump.run);
  dump_command->add_option("-r,--ranks", dump.ranks, "Only these ranks, for example 0,2-5.")
      ->type_name("RANKS");
  dump_command
      ->add_option("-c,--call", dump.call,
                   "Only calls that match this pattern, for example 'MPI_Win_*'.")
      ->type_name("PATTERN");
  dump_command->add_flag("-s,--stacks", dump.stacks, "Print the whole stack of each event.");
  dump_command->add_flag("-d,--definitions", dump.definitions,
                         "Also print communicators, windows and datatypes.");

  AnalyzeArguments analyze;
  CLI::App* analyze_command = app.add_subcommand(
      "analyze", "Find the races of a recorded run; exit code 66 if there are any.");
  add_run(*analyze_command, analyze.run);
  analyze_command
      ->add_option("-n,--np", analyze.processes,
                   "Number of processes; uses the launcher of the run's MPI.")
      ->check(number_of("processes"))
      ->type_name("N");
  analyze_command->footer("photofinish analyze [-n N] [RUN]\nLAUNCHER … photofinish analyze [RUN]");
  add_table_options(*analyze_command, given,
                    and_those({"mpi", "memory", "strict_accumulate_ops", "verbose"}, kOfReport));

  ReportArguments report;
  CLI::App* report_command = app.add_subcommand(
      "report", "Print the findings of an analyzed run; exit code 66 if there are any.");
  add_run(*report_command, report.run);
  add_findings(*report_command, report.findings, "Print only these findings: F1, F3.");
  add_report_file(*report_command, "-o,", report.report,
                  "text, json, sarif, html, perfetto or otf2. Default: text.",
                  "File to write, folder for otf2, or - for standard output. Default: standard "
                  "output; html: report.html in RUN; otf2: RUN.otf2.");
  add_table_options(*report_command, given, kOfReport);

  DiffArguments diff;
  CLI::App* diff_command = app.add_subcommand("diff",
                                              "Compare the findings of two runs: new, gone, "
                                              "unchanged; exit code 66 if there are new ones.");
  diff_command->add_option("before", diff.before, "Run directory, or its report in JSON or SARIF.")
      ->required();
  diff_command->add_option("after", diff.after, "A later run directory, or its report.")
      ->required();
  add_table_options(*diff_command, given, kOfDiff);

  ConfirmArguments confirm;
  CLI::App* confirm_command = app.add_subcommand("confirm",
                                                 "Make each finding happen, in each order, and "
                                                 "compare outcomes; exit code 66 if one happens.");
  add_run(*confirm_command, confirm.run);
  add_findings(*confirm_command, confirm.findings, "Only these findings: F1, F3.");
  confirm_command
      ->add_option("--order", confirm.order,
                   "Run this order of one finding once, and show the program's output.")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  confirm_command->add_flag("--every", confirm.every,
                            "With --order: force it in every instance of the race, not in one.");
  CLI::Option* record_order = confirm_command->add_flag(
      "--record", confirm.record, "With --order: record that run for photofinish replay.");
  confirm_command
      ->add_option("-r,--ranks", confirm.recorded_ranks,
                   "With --record: ranks to record, for example 2,5-7. Default: all.")
      ->type_name("RANKS")
      ->needs(record_order);
  CLI::Option* debug_order =
      confirm_command
          ->add_option("--gdb", confirm.debugged,
                       "With --finding: stop this rank in gdb at its access of the race. Default "
                       "order: 1.")
          ->check(CLI::Range(0, 1 << 24))
          ->excludes("--every")
          ->excludes(record_order)
          ->type_name("RANK");
  confirm_command
      ->add_option("--ex", confirm.commands, "With --gdb: a command for gdb, as its own -ex.")
      ->needs(debug_order)
      ->type_name("COMMAND")
      ->allow_extra_args(false);
  confirm_command
      ->add_option("--compare", confirm.compare,
                   "A file that the program writes, to compare between orders.")
      ->type_name("FILE")
      ->allow_extra_args(false);
  confirm_command
      ->add_option("--ignore", confirm.ignore,
                   "Regular expression: lines that match it are not compared, such as timestamps.")
      ->type_name("REGEX");
  confirm_command
      ->add_option("-n,--np", confirm.ranks, "Number of ranks. Default: as in the recorded run.")
      ->check(number_of("ranks"))
      ->type_name("N");
  confirm_command->footer(
      "photofinish confirm [OPTIONS] [RUN]\nphotofinish confirm [OPTIONS] [RUN] -- LAUNCHER … "
      "PROGRAM ARGS…");
  add_table_options(
      *confirm_command, given,
      {"mpi", "pause_ms", "runs", "alternatives", "together", "timeout", "tolerance",
       "message_rendezvous", "verbose", "progress", "quiet", "exit_zero", "error_exitcode"});

  ExploreArguments explore;
  CLI::App* explore_command = app.add_subcommand(
      "explore",
      "Run a program with every matching of its messages; exit code 66 if outcomes differ.");
  explore_command
      ->add_option("-n,--np", explore.ranks,
                   "Number of ranks; uses the launcher of the program's MPI.")
      ->check(number_of("ranks"))
      ->type_name("N");
  explore_command->add_option("--runs", explore.runs, "Make at most N runs. Default: no limit.")
      ->check(CLI::Range(1, 1 << 30))
      ->type_name("N");
  explore_command
      ->add_option("--time", explore.seconds, "Start no run after S seconds. Default: no limit.")
      ->check(CLI::Range(1, 1 << 30))
      ->type_name("S");
  explore_command->add_option("--jobs", explore.jobs, "Runs at a time. Default: 1.")
      ->check(CLI::Range(1, 1 << 10))
      ->type_name("J");
  explore_command
      ->add_option("--outcome", explore.outcome,
                   "With RUN: run the program once more with the choices of this outcome, and show "
                   "its output.")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  explore_command
      ->add_option("--compare", explore.compare,
                   "A file that the program writes, to compare between runs.")
      ->type_name("FILE")
      ->allow_extra_args(false);
  explore_command
      ->add_option("--ignore", explore.ignore,
                   "Regular expression: lines that match it are not compared, such as timestamps.")
      ->type_name("REGEX");
  explore_command->footer(
      "photofinish explore [OPTIONS] -n N PROGRAM ARGS…\nphotofinish explore [OPTIONS] -- LAUNCHER "
      "… PROGRAM ARGS…\nphotofinish explore RUN [OPTIONS]");
  explore_command->prefix_command();
  add_table_options(*explore_command, given,
                    {"output", "overwrite", "mpi", "timeout", "tolerance", "stack_depth", "verbose",
                     "progress", "quiet", "exit_zero", "error_exitcode"});

  CheckArguments record{.ranks = 0, .line = {}, .command = "record"};
  CLI::App* record_command = app.add_subcommand("record", "Record selected ranks for replay.");
  record_command
      ->add_option("-n,--np", record.ranks,
                   "Number of ranks; uses the launcher of the program's MPI.")
      ->check(number_of("ranks"))
      ->type_name("N");
  std::string recorded = "all";
  record_command
      ->add_option("-r,--ranks", recorded, "Ranks to record, for example 2,5-7. Default: all.")
      ->type_name("RANKS");
  std::string for_finding, of_run = "photofinish.run";
  CLI::Option* finding = record_command
                             ->add_option("--for-finding", for_finding,
                                          "Record the ranks of this finding of a checked run, by "
                                          "default to photofinish-F1.run. Default program: that "
                                          "of the checked run.")
                             ->excludes("--ranks")
                             ->type_name("F");
  record_command
      ->add_option("--of", of_run, "With --for-finding: the checked run. Default: photofinish.run.")
      ->needs(finding)
      ->type_name("RUN");
  record_command->footer(
      "photofinish record --ranks 2,5 -n N PROGRAM ARGS…\nphotofinish record --ranks 2,5 -- "
      "LAUNCHER … PROGRAM ARGS…\nphotofinish record --for-finding F1");
  record_command->prefix_command();
  add_table_options(*record_command, given,
                    {"output", "overwrite", "mpi", "stack_depth", "deadlock_timeout", "keep_env",
                     "quiet", "progress", "verbose"});

  ReplayArguments replay;
  CLI::App* replay_command =
      app.add_subcommand("replay", "Run recorded ranks again, alone, to the same result.");
  add_run(*replay_command, replay.run);
  replay_command
      ->add_option("-r,--ranks", replay.ranks,
                   "Only these ranks, for example 2,5. Default: all that were recorded.")
      ->type_name("RANKS");
  CLI::Option* gdb =
      replay_command->add_option("--gdb", replay.debugged, "Replay this rank under gdb.")
          ->check(CLI::Range(0, 1 << 24))
          ->type_name("RANK");
  replay_command
      ->add_option("--gdbserver", replay.server,
                   "With --gdb: start gdbserver on this address, such as :2345.")
      ->needs(gdb)
      ->type_name("COMM");
  replay_command
      ->add_option("--ex", replay.commands, "With --gdb: a command for gdb, as its own -ex.")
      ->needs(gdb)
      ->type_name("COMMAND")
      ->allow_extra_args(false);
  replay_command
      ->add_flag("--vscode{.vscode/launch.json}", replay.editor_file,
                 "Write .vscode/launch.json, or FILE, to debug the ranks in Visual Studio Code.")
      ->excludes(gdb);
  replay_command
      ->add_option("--output-dir", replay.output,
                   "Folder for the output of each rank: rank-2.out, rank-2.err.")
      ->excludes(gdb)
      ->excludes("--vscode")
      ->type_name("FOLDER");
  add_table_options(*replay_command, given, {"verbose"});

  ExplainArguments explain;
  CLI::App* explain_command =
      app.add_subcommand("explain", "Show which rank wrote each value that a recorded rank read.");
  add_run(*explain_command, explain.run);
  explain_command
      ->add_option("-r,--ranks", explain.ranks,
                   "Only these ranks, for example 2,5. Default: all that were recorded.")
      ->type_name("RANKS");
  explain_command->add_flag("--each", explain.each,
                            "Print every message and value; do not merge similar ones.");
  explain_command
      ->add_option("--finding", explain.finding,
                   "Print which ranks to record for this finding of a checked run.")
      ->type_name("F");

  GroupArguments group;
  CLI::App* group_command = app.add_subcommand(
      "group", "Find the few ranks whose own events explain the failure of a recorded rank.");
  add_run(*group_command, group.run);
  group_command->add_option("--failure", group.failure, "The rank that failed.")
      ->required()
      ->check(CLI::Range(0, 1 << 24))
      ->type_name("RANK");
  group_command->add_flag("--each", group.each, "Print every step of the schedule.");
  add_table_options(*group_command, given, kOfGroup);

  DoctorArguments doctor;
  CLI::App* doctor_command = app.add_subcommand(
      "doctor", "Check this machine, or a program, for problems; exit code 1 if there are any.");
  doctor_command->add_option("program", doctor.program, "Program to check instead of the machine.");
  doctor_command->footer("photofinish doctor\nphotofinish doctor PROGRAM");

  // For packages and manual installation: not in --help.
  ManArguments man;
  CLI::App* man_command = app.add_subcommand("man", "Print a manual page.")->group("");
  man_command->add_option("command", man.command, "Command to describe.");
  man_command->add_option("--into", man.into, "Write all pages to this folder.");
  man_command->add_flag("--markdown", man.markdown, "Print docs/options.md instead.");
  std::string shell;
  CLI::App* completion_command =
      app.add_subcommand("completion", "Print the completion script for a shell.")->group("");
  completion_command->add_option("shell", shell, "The shell.")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));

  if (argc == 1) {
    fmt::print("{}", app.help());
    return kExitUsage;
  }
  if (const char* environment = std::getenv("PHOTOFINISH_OPTIONS");
      environment && std::string_view(environment).find("help=1") != std::string_view::npos) {
    for (const OptionInfo& info : option_table())
      fmt::print("{:<14} {} (default: {})\n", info.name, info.help, info.default_value);
    return kExitOk;
  }
  // Arguments of the program are never parsed.
  std::vector<std::string> words = words_of(argc, argv);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto command = std::find_if(commands.begin(), commands.end(), [&](const CLI::App* one) {
    return one->get_name() == words[1];
  });
  if (words[1][0] != '-' && command == commands.end()) {
    std::vector<std::string> names;
    for (const CLI::App* one : commands) names.push_back(one->get_name());
    return fail(fmt::format("there is no command '{}'{} (see photofinish --help)", words[1],
                            did_you_mean(words[1], names)),
                kExitUsage);
  }
  if (command == commands.end() && words[1] != "--help" && words[1] != "-h" &&
      words[1] != "--version") {
    const std::string name = words[1].substr(0, words[1].find('='));
    if (check_command->get_option_no_throw(name == "-np" ? "-n" : name) != nullptr) {
      words.erase(words.begin());
      return fail(fmt::format("a command is missing: photofinish check {}", fmt::join(words, " ")),
                  kExitUsage);
    }
    return fail(fmt::format("there is no option {}{} (see photofinish --help)", name,
                            did_you_mean(name, {"--help", "--version"})),
                kExitUsage);
  }
  if (command != commands.end()) take_np(words, **command, (*command)->get_prefix_command());
  const bool has_run = words[1] == "explore" && take_run_last(words);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool has_dashes = dashes != words.end();
  const std::vector<std::string> behind(has_dashes ? dashes + 1 : dashes, words.end());
  const std::string see =
      command == commands.end() ? "photofinish --help" : "photofinish " + words[1] + " --help";
  const auto no_option = [&](const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::Option* option : (*command)->get_options()) {
      const auto flags = describe(*option).flags;
      names.insert(names.end(), flags.begin(), flags.end());
    }
    const std::string name = word.substr(0, word.find('='));
    for (const char* const format : kReportFormats)
      if (name == fmt::format("--{}", format) &&
          (*command)->get_option_no_throw("--format") != nullptr)
        return fail(fmt::format("there is no option {}; use --format {}", name, format),
                    kExitUsage);
    return fail(
        fmt::format("there is no option {}{} (see {})", name, did_you_mean(name, names), see),
        kExitUsage);
  };
  try {
    std::vector<std::string> own(words.begin() + 1, dashes);
    std::reverse(own.begin(), own.end());
    app.parse(own);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    if (command != commands.end() && dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
      return fail(fmt::format("{} (see {})", missing_value(error.what(), **command), see),
                  kExitUsage);
    const bool lacks_argument = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    if (words[1] == "diff" && lacks_argument)
      return fail("diff needs two runs: photofinish diff BEFORE AFTER", kExitUsage);
    if (words[1] == "completion" && lacks_argument)
      return fail("completion needs a shell: photofinish completion bash|zsh|fish", kExitUsage);
    if (words[1] == "group" && lacks_argument) {
      const std::string refused = no_openshmem_run("group", group.run);
      return fail(!refused.empty()
                      ? refused
                      : "group needs the rank that failed: photofinish group RUN --failure RANK",
                  kExitUsage);
    }
    if (command != commands.end())
      if (const auto left = (*command)->remaining(); !left.empty()) {
        if (left[0].starts_with('-')) return no_option(left[0]);
        if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
          return one_too_many(left[0], **command);
      }
    return fail(fmt::format("{} (see {})", error.what(), see), kExitUsage);
  }
  for (const CLI::App* one : {check_command, exec_command, record_command, explore_command})
    if (const auto left = one->remaining(); !left.empty() && left[0].starts_with('-'))
      return no_option(left[0]);
  if (doctor_command->parsed()) return run_doctor(doctor);  // it reports wrong options, too
  const auto options = resolve(given, inherited);
  if (!options) return fail(options.error().message, kExitUsage);

  for (auto* findings : {&confirm.findings, &report.findings})
    for (std::string& finding : *findings) name_finding(finding);
  name_finding(explain.finding);
  name_finding(for_finding);
  check.named_output = record.named_output = explore.named_output =
      options->output != Options{}.output ||
      std::any_of(given.begin(), given.end(),
                  [](const auto& one) { return one.first == "output"; });
  for (const CLI::App* one : {check_command, record_command, explore_command})
    note_passed_options(*one, *options);
  if (check_command->parsed()) {
    check.line = program_line(*check_command, behind, has_dashes);
    return run_check(*options, check);
  }
  if (record_command->parsed()) {
    record.line = program_line(*record_command, behind, has_dashes);
    Options keeping = *options;
    keeping.record = recorded;
    if (!for_finding.empty())
      if (const auto prepared = prepare_record(for_finding, of_run, keeping, record); !prepared)
        return fail(prepared.error().message, kExitUsage);
    return run_check(keeping, record);
  }
  if (explore_command->parsed()) {
    explore.line = program_line(*explore_command, behind, has_dashes);
    if (has_run && explore.line.size() > 1)
      return fail("explore takes a run, which has its program, or a program: remove one of them",
                  kExitUsage);
    if (!has_dashes && explore.line.size() == 1 && is_run_directory(explore.line[0]))
      explore.run = std::exchange(explore.line, {})[0];
    return run_explore(*options, explore);
  }
  if (replay_command->parsed()) return run_replay(*options, replay);
  if (explain_command->parsed()) return run_explain(explain);
  if (group_command->parsed()) return run_group(*options, group);
  if (exec_command->parsed()) {
    exec.line = program_line(*exec_command, behind, has_dashes);
    return run_exec(*options, exec);
  }
  if (analyze_command->parsed()) return run_analyze(*options, analyze);
  if (confirm_command->parsed()) {
    confirm.line = behind;
    return run_confirm(*options, confirm);
  }
  if (report_command->parsed()) return run_report(*options, report);
  if (diff_command->parsed()) return run_diff(*options, diff);
  if (man_command->parsed()) return run_man(man, describe(app, PHOTOFINISH_VERSION));
  if (completion_command->parsed())
    return run_completion(shell, describe(app, PHOTOFINISH_VERSION));
  return run_dump(*options, dump);
}

}  // namespace

}  // namespace photofinish

int main(int argc, char** argv) {
  if (argc > 2 && std::string_view(argv[1]) == photofinish::kStartCommand)
    return photofinish::start_in_environment(argc, argv);
  return photofinish::run(argc, argv);
}
