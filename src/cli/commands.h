// The commands. Each is a file of its own; main.cpp only tells them apart.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "manual/command_tree.h"
#include "options/options.h"
#include "trace/findings_file.h"

namespace photofinish {

// The program's own exit code wins when it failed. README and man page list these.
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

// Where a report goes, and how it looks.
struct ReportFile {
  std::string format = "text";  // one of kReportFormats
  std::string file =
      {};  // empty: where the command puts such a one by itself; "-": standard output
};
inline constexpr const char* kReportFormats[] = {"text", "json",     "sarif",
                                                 "html", "perfetto", "otf2"};

struct CheckArguments {
  int ranks = 0;  // 0: `line` is a launcher's line
  std::vector<std::string> line;
  const char* command = "check";  // what the user calls it: record is check, with ranks to keep
  ReportFile report = {};         // beside the text
  bool named_output = false;      // the user chose the directory: it is never renamed
};
int run_check(const Options& options, const CheckArguments& arguments);

struct ExecArguments {
  std::string token;  // from check; empty under a launcher of the user's
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
  int processes = 0;  // 0: this one, or those that a launcher has started
};
int run_analyze(const Options& options, const AnalyzeArguments& arguments);
// Reads the traces and writes the findings, in this process; what cannot be written goes to
// `unwritten`.
Result<bool> analyze_alone(const std::string& directory, const Options& options,
                           UnwrittenFindings& unwritten);

struct ConfirmArguments {
  std::string run;
  std::vector<std::string> findings;  // "F3"; none: all
  int order = 0;                      // 1, 2, …: only this one, once, to be seen again
  bool every = false;                 // and in every instance of the race
  int ranks = 0;                      // 0: as many as the recorded run had
  std::vector<std::string> compare;   // files that the program writes
  std::string ignore;                 // lines that match this are not compared; empty: none
  std::vector<std::string> line;      // another one to start; empty: that of the recorded run
};
int run_confirm(const Options& options, const ConfirmArguments& arguments);

struct ReplayArguments {
  std::string run;
  std::string ranks;                  // "2,5"; empty: all that were recorded
  int debugged = -1;                  // the rank that gdb is to start; -1: none
  std::string server;                 // ":2345": gdbserver starts it instead
  std::vector<std::string> commands;  // for gdb
  std::string editor_file;            // a launch.json to be written instead
  std::string output;  // a folder for what each rank prints; empty: all of it goes where ours does
};
int run_replay(const Options& options, const ReplayArguments& arguments);
// For gdbserver, not for users: photofinish replay-start FILE PROGRAM ARGS… becomes the program, in
// the environment that the file has.
inline constexpr const char* kStartCommand = "replay-start";
int start_in_environment(int argc, char** argv);

struct ExplainArguments {
  std::string run;
  std::string ranks;    // "2,5"; empty: all that were recorded
  std::string finding;  // "F1": which ranks a group for it needs, instead
  bool each = false;
};
int run_explain(const ExplainArguments& arguments);
// What record is to do for a finding of a run that was checked: which ranks, another place than
// that run's, and its program if none is given.
Result<bool> prepare_record(const std::string& finding, const std::string& run, Options& options,
                            CheckArguments& arguments);

struct ReportArguments {
  std::string run;
  ReportFile report = {};
  UnwrittenFindings unwritten = {};
};
int run_report(const Options& options, const ReportArguments& arguments);
// The same after a run, as text on standard error; what the user calls the directory is among the
// options. The exit code, or why there is no report. `report`: and in this form as well, in the run
// directory if not told otherwise.
Result<int> report_findings(const std::string& directory, const Options& options,
                            const ReportFile& report, const UnwrittenFindings& unwritten = {});
// What a report will need (the suppressions, the baseline) can be read, and means something: better
// to know before a long run than after it.
Result<bool> check_report_options(const Options& options, const ReportFile& report = {});
// For the ranks, which need none of them.
void forget_report_options(Options& options);

struct DiffArguments {
  std::string before, after;  // runs, or reports in JSON or SARIF
};
int run_diff(const Options& options, const DiffArguments& arguments);

struct DoctorArguments {
  std::string program;  // empty: the machine
};
// kExitProblems if there is something to do.
int run_doctor(const DoctorArguments& arguments);

struct ManArguments {
  std::string command;    // empty: the page of photofinish itself
  std::string into;       // a folder that gets all pages
  bool markdown = false;  // docs/options.md instead
};
// The manual, made from the same tables as --help.
int run_man(const ManArguments& arguments, const CommandTree& tree);
// What a shell needs to complete our commands and options.
int run_completion(const std::string& shell, const CommandTree& tree);

// "photofinish: …" on standard error; returns `code`.
int fail(const std::string& message, int code = kExitToolError);
// The exit code of a command that has findings to report: kExitFindings, unless --exit-zero or
// --error-exitcode says otherwise.
inline int findings_code(const Options& options) {
  return options.exit_zero ? static_cast<int>(kExitOk) : options.error_exitcode;
}

}  // namespace photofinish
