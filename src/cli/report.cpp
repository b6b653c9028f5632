// photofinish report: the findings of a run that was analysed.
#include <unistd.h>

#include "analyze/analyze_run.h"
#include "cli/commands.h"
#include "report/finding_text.h"
#include "trace/findings_file.h"

namespace photofinish {

// The ranks of a program that a launcher of the user's has started look for races in memory; nobody was there for its messages.
int run_report(const ReportArguments& arguments) {
  if (const auto run = read_findings(arguments.run); run && run->analysed && !run->messages && access(arguments.run.c_str(), W_OK) == 0)
    if (const auto looked = analyze_messages_of(arguments.run); !looked) return fail(looked.error().message);
  const auto found = print_report(stdout, arguments.run,
                                  {.max_findings = arguments.max_findings, .colours = wants_colours(stdout)});
  if (!found) return fail(found.error().message);
  return *found ? kExitFindings : kExitOk;
}

Result<bool> tell_findings(const std::string& directory, const std::string& name) {
  return print_report(stderr, directory, {.name = name, .colours = wants_colours(stderr)});
}

}  // namespace photofinish
