// photofinish diff: compares the findings of two runs: new, gone, unchanged.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "report/baseline.h"
#include "report/block.h"
#include "report/finding_text.h"

namespace photofinish {
namespace {

void report(const char* word, const std::vector<KnownFinding>& findings, std::string_view color,
            bool colors) {
  for (const KnownFinding& finding : findings)
    fmt::print("{} {}\n", painted(color, word, colors), finding.title);
}

}  // namespace

int run_diff(const Options& options, const DiffArguments& arguments) {
  if (const auto usable = check_report_options(options); !usable)
    return fail(usable.error().message, kExitUsage);
  const DocumentOptions how{.suppressions = options.suppressions,
                            .builtin_suppressions = options.builtin_suppressions};
  auto before = read_baseline(arguments.before, how);
  if (!before) return fail_to_read(arguments.before, before.error());
  bool complete = true;
  auto after = read_baseline(arguments.after, how, &complete);
  if (!after) return fail_to_read(arguments.after, after.error());

  std::vector<KnownFinding> fresh, same;
  for (KnownFinding& finding : *after) {
    const auto known = std::find_if(before->begin(), before->end(), [&](const KnownFinding& one) {
      return one.fingerprint == finding.fingerprint;
    });
    (known != before->end() ? same : fresh).push_back(std::move(finding));
    if (known != before->end()) before->erase(known);
  }
  const auto suppressed =
      std::erase_if(fresh, [](const KnownFinding& finding) { return finding.suppressed; });
  const std::vector<KnownFinding>& gone = *before;
  const bool colors = wants_colors(stdout);
  report("new", fresh, kWarning, colors);
  report("gone", gone, kMemory, colors);
  report("unchanged", same, kAdvice, colors);
  fmt::print("SUMMARY: photofinish: {} new, {} gone, {} unchanged{}{} · {} -> {}\n", fresh.size(),
             gone.size(), same.size(),
             suppressed > 0 ? fmt::format(", {} new but suppressed", suppressed) : "",
             complete ? "" : ", but not everything was checked", arguments.before, arguments.after);
  if (!fresh.empty()) return findings_code(options);
  return complete ? kExitOk : kExitIncomplete;
}

}  // namespace photofinish
