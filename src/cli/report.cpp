// photofinish report: the findings of a run that was analysed.
#include "cli/commands.h"
#include "report/finding_text.h"

namespace photofinish {

int run_report(const ReportArguments& arguments) {
  const auto found = print_report(stdout, arguments.run,
                                  {.max_findings = arguments.max_findings, .colours = wants_colours(stdout)});
  if (!found) return fail(found.error().message);
  return *found ? kExitFindings : kExitOk;
}

Result<bool> tell_findings(const std::string& directory, const std::string& name) {
  return print_report(stderr, directory, {.name = name, .colours = wants_colours(stderr)});
}

}  // namespace photofinish
