// The commands, one file each; main.cpp parses the command line and calls them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "manual/command_tree.h"
#include "options/options.h"
#include "trace/findings_file.h"

namespace photofinish {

// If the program fails, its own exit code takes precedence. README and man page list these.
enum ExitCode : int {
  kExitOk = 0,
  kExitProblems = 1,
  kExitUsage = 64,
  kExitFindings = 66,
  kExitIncomplete = 67,
  kExitToolError = 70,
  kExitInterrupted = 71,
  kExitDivergence = 72
};

// The file and format of a report.
struct ReportFile {
  std::string format = "text";  // one of kReportFormats
  std::string file = {};        // empty: the default of the command; "-": standard output
};
inline constexpr const char* kReportFormats[] = {"text", "json",     "sarif",
                                                 "html", "perfetto", "otf2"};

struct CheckArguments {
  int ranks = 0;  // 0: `line` is a launcher command line
  std::vector<std::string> line;
  const char* command = "check";  // the name of the command: record is check with recorded ranks
  ReportFile report = {};         // in addition to the text
  bool named_output = false;      // the user chose the directory: it is never renamed
};
int run_check(const Options& options, const CheckArguments& arguments);

struct ExecArguments {
  std::string token;  // from check; empty if the user started the launcher
  std::vector<std::string> line;
};
int run_exec(const Options& options, const ExecArguments& arguments);

struct DumpArguments {
  std::string run;
  std::string ranks;  // "0,2-3"; empty: all
  std::string call;   // a pattern with * and ?; empty: all
  bool stacks = false;
  bool definitions = false;
};
int run_dump(const Options& options, const DumpArguments& arguments);

struct AnalyzeArguments {
  std::string run;
  int processes = 0;  // 0: this process, or those of a launcher
};
int run_analyze(const Options& options, const AnalyzeArguments& arguments);
// Reads the traces and writes the findings, in this process. Findings that cannot be written go to
// `unwritten`.
Result<bool> analyze_alone(const std::string& directory, const Options& options,
                           UnwrittenFindings& unwritten);

struct ConfirmArguments {
  std::string run;
  std::vector<std::string> findings;  // "F3"; none: all
  int order = 0;                      // 1, 2, …: reproduces only this order, once
  bool every = false;                 // and in every instance of the race
  bool record = false;                // records that order for replay
  std::string recorded_ranks;         // "2,5"; empty: all
  int debugged = -1;                  // the rank to stop in gdb at its access; -1: none
  std::vector<std::string> commands;  // for gdb
  int ranks = 0;                      // 0: as in the recorded run
  std::vector<std::string> compare;   // files that the program writes
  std::string ignore;                 // lines that match this are not compared; empty: none
  std::vector<std::string> line;      // another program to start; empty: that of the recorded run
};
int run_confirm(const Options& options, const ConfirmArguments& arguments);

struct ExploreArguments {
  std::string run;                   // an earlier run to continue, or to show an outcome of
  int ranks = 0;                     // 0: `line` is a launcher command line
  std::vector<std::string> line;     // of the program; empty: that of the run
  int runs = 0, seconds = 0;         // limits; 0: none
  int jobs = 1;                      // runs at a time
  int outcome = 0;                   // 1, 2, …: shows this outcome again
  std::vector<std::string> compare;  // files that the program writes
  std::string ignore;                // lines that match this are not compared; empty: none
  bool named_output = false;         // the user chose the directory: it is never renamed
};
int run_explore(const Options& options, const ExploreArguments& arguments);

struct ReplayArguments {
  std::string run;
  std::string ranks;                  // "2,5"; empty: all recorded ranks
  int debugged = -1;                  // the rank to start in gdb; -1: none
  std::string server;                 // ":2345": starts it in gdbserver instead
  std::vector<std::string> commands;  // for gdb
  std::string editor_file;            // writes this launch.json instead
  std::string output;  // a folder for the output of each rank; empty: inherits standard output
};
int run_replay(const Options& options, const ReplayArguments& arguments);
// For gdbserver, not for users: photofinish replay-start FILE PROGRAM ARGS… executes the program in
// the environment that the file contains.
inline constexpr const char* kStartCommand = "replay-start";
int start_in_environment(int argc, char** argv);

struct ExplainArguments {
  std::string run;
  std::string ranks;    // "2,5"; empty: all recorded ranks
  std::string finding;  // "F1": prints which ranks to record for it instead
  bool each = false;
};
int run_explain(const ExplainArguments& arguments);
// Sets up record for a finding of a checked run: the ranks, another directory than that run's, and
// its program if none is given.
Result<bool> prepare_record(const std::string& finding, const std::string& run, Options& options,
                            CheckArguments& arguments);

struct GroupArguments {
  std::string run;
  int failure = 0;  // the rank that failed
  bool each = false;
};
// kExitIncomplete if it finds no group.
int run_group(const Options& options, const GroupArguments& arguments);

struct ReportArguments {
  std::string run;
  std::vector<std::string> findings = {};  // "F3": prints only these; none: all
  ReportFile report = {};
  UnwrittenFindings unwritten = {};
};
int run_report(const Options& options, const ReportArguments& arguments);
// The same after a run, as text on standard error; the options have the user's name of the
// directory. Returns the exit code, or why there is no report. `report`: a further format, written
// to the run directory by default.
Result<int> report_findings(const std::string& directory, const Options& options,
                            const ReportFile& report, const UnwrittenFindings& unwritten = {});
// Checks before a long run that the files a report needs (suppressions, baseline) are readable and
// valid.
Result<bool> check_report_options(const Options& options, const ReportFile& report = {});
// Removes options that ranks do not need.
void forget_report_options(Options& options);

struct DiffArguments {
  std::string before, after;  // runs, or reports in JSON or SARIF
};
int run_diff(const Options& options, const DiffArguments& arguments);

struct DoctorArguments {
  std::string program;  // empty: checks the machine
};
// kExitProblems if the user has something to do.
int run_doctor(const DoctorArguments& arguments);

struct ManArguments {
  std::string command;    // empty: the page of photofinish itself
  std::string into;       // a folder for all pages
  bool markdown = false;  // prints docs/options.md instead
};
// The manual, from the same tables as --help.
int run_man(const ManArguments& arguments, const CommandTree& tree);
// The completion script for a shell.
int run_completion(const std::string& shell, const CommandTree& tree);

// "photofinish: …" on standard error; returns `code`.
int fail(const std::string& message, int code = kExitToolError);
// For a run that a command cannot read: kExitUsage if it is none, or not analyzed yet.
int fail_to_read(const std::string& run, const Error& error);
// The exit code of a command with findings: kExitFindings, unless --exit-zero or --error-exitcode
// is set.
inline int findings_code(const Options& options) {
  return options.exit_zero ? static_cast<int>(kExitOk) : options.error_exitcode;
}

}  // namespace photofinish
