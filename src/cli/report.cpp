// photofinish report: prints the findings of an analyzed run in the requested format.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "analyze/analyze_run.h"
#include "cli/commands.h"
#include "report/baseline.h"
#include "report/files.h"
#include "report/finding_text.h"
#include "report/html/html.h"
#include "report/json.h"
#include "report/otf2/export.h"
#include "report/perfetto.h"
#include "report/sarif.h"
#include "trace/findings_file.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

DocumentOptions document_options(const Options& options, const std::string& name,
                                 UnwrittenFindings unwritten) {
  return {.name = name,
          .suppressions = options.suppressions,
          .builtin_suppressions = options.builtin_suppressions,
          .baseline = options.baseline,
          .source_root = options.source_root,
          .unwritten = std::move(unwritten)};
}

int exit_code(const RunDocument& run, const Options& options) {
  if (run.has_findings()) return findings_code(options);
  return run.incomplete() && !options.exit_zero ? kExitIncomplete : kExitOk;
}

using Numbers = std::set<std::size_t>;

// The numbers of the findings that the user names.
Result<Numbers> numbers_of(const std::vector<std::string>& names, const RunDocument& run) {
  Numbers numbers;
  for (const std::string& name : names) {
    const auto found = std::find_if(
        run.findings.begin(), run.findings.end(),
        [&](const FindingDocument& finding) { return name == fmt::format("F{}", finding.number); });
    if (found == run.findings.end())
      return Error{run.findings.empty()
                       ? fmt::format("{} has no findings", run.name)
                       : fmt::format("{} has no finding {}: it has F1{}", run.name, name,
                                     run.findings.size() > 1
                                         ? fmt::format(" to F{}", run.findings.size())
                                         : "")};
    numbers.insert(found->number);
  }
  return numbers;
}

Result<bool> print_text(std::FILE* file, const RunDocument& run, const Options& options,
                        const Numbers& only = {}) {
  const auto group_by = group_by_of(options.group_by);
  if (!group_by) return group_by.error();
  return print_report(file, run,
                      {.max_findings = static_cast<std::size_t>(options.max_findings),
                       .group_by = *group_by,
                       .gen_suppressions = options.gen_suppressions,
                       .verdicts = !options.quiet,
                       .colors = wants_colors(file),
                       .only = only});
}

Result<bool> print(std::FILE* file, const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0)
    return true;
  return Error{fmt::format("cannot write the report: {}", std::strerror(errno))};
}

Result<bool> write_as(const std::string& format, std::FILE* file, const RunDocument& run,
                      const Options& options, const Numbers& only) {
  if (format == "json") return print(file, json_report(run));
  if (format == "sarif") return print(file, sarif_report(run));
  if (format == "html") return print(file, html_report(run));
  if (format == "perfetto") return write_perfetto(file, run);
  return print_text(file, run, options, only);
}

// The default file of a format; empty: standard output. An archive is a folder next to the run.
std::string where_of(const std::string& format, std::string run) {
  while (run.size() > 1 && run.ends_with('/')) run.pop_back();
  if (format == "otf2") return run + ".otf2";
  if (format == "html") return run + "/" + std::string(kHtmlReport);
  if (format == "json") return run + "/" + std::string(kJsonReport);
  if (format == "sarif") return run + "/" + std::string(kSarifReport);
  if (format == "perfetto") return run + "/" + std::string(kPerfettoReport);
  return "";
}

Result<bool> write_report(const std::string& format, const std::string& file,
                          const RunDocument& run, const Options& options,
                          const Numbers& only = {}) {
  if (format == "otf2") return write_otf2(file, run);
  if (file.empty()) return write_as(format, stdout, run, options, only);
  return write_file(file,
                    [&](std::FILE* out) { return write_as(format, out, run, options, only); });
}

// Ranks started by the user's own launcher detect races in memory. Their messages, and accesses
// that were unchecked when a rank stopped, remain to be analyzed.
Result<bool> analyze_the_rest(const std::string& directory, const Options& options,
                              UnwrittenFindings& unwritten) {
  const auto run = read_findings(directory, unwritten);
  if (!run || !run->analysed || access(directory.c_str(), W_OK) != 0) return true;
  const auto say = [](const std::string& message) { fail(message); };
  if (!run->from_traces)
    if (const auto stopped = any_stopped_early(directory); stopped && *stopped) {
      Alone alone;
      return analyze_run(directory, options, alone, say, &unwritten);
    }
  return run->messages ? true : analyze_messages_of(directory, options, say, &unwritten);
}

}  // namespace

Result<bool> check_report_options(const Options& options, const ReportFile& report) {
  if (report.format == "otf2" && report.file == "-")
    return Error{"an OTF2 archive is a folder, which standard output cannot be; give -o FOLDER"};
  if (!report.file.empty() && report.file != "-") {
    std::error_code error;
    std::filesystem::path file = std::filesystem::absolute(report.file, error);
    if (!file.has_filename()) file = file.parent_path();  // "folder/"
    if (!std::filesystem::is_directory(file.parent_path(), error))
      return Error{fmt::format("cannot write {}: there is no directory {}", report.file,
                               file.parent_path().string())};
    if (report.format != "otf2" && std::filesystem::is_directory(file, error))
      return Error{
          fmt::format("cannot write {}: it is a directory; name a file in it", report.file)};
  }
  if (const auto group_by = group_by_of(options.group_by); !group_by) return group_by.error();
  if (std::error_code error;
      !options.source_root.empty() && !std::filesystem::is_directory(options.source_root, error))
    return Error{fmt::format("option source_root: {} is not a directory", options.source_root)};
  if (!options.suppressions.empty())
    if (const auto read = read_suppressions(options.suppressions); !read) return read.error();
  if (!options.baseline.empty())
    if (const auto read = read_baseline(options.baseline, {}); !read) return read.error();
  return true;
}

void forget_report_options(Options& options) {
  const Options defaults;
  options.suppressions = defaults.suppressions;
  options.builtin_suppressions = defaults.builtin_suppressions;
  options.gen_suppressions = defaults.gen_suppressions;
  options.baseline = defaults.baseline;
  options.max_findings = defaults.max_findings;
  options.group_by = defaults.group_by;
  options.source_root = defaults.source_root;
  options.exit_zero = defaults.exit_zero;
  options.error_exitcode = defaults.error_exitcode;
  options.quiet = defaults.quiet;
}

int run_report(const Options& options, const ReportArguments& arguments) {
  const auto& [format, wanted] = arguments.report;
  if (const auto usable = check_report_options(options, arguments.report); !usable)
    return fail(usable.error().message, kExitUsage);
  if (!arguments.findings.empty() && format != "text")
    return fail(fmt::format("--finding works only with text: remove --format {}", format),
                kExitUsage);
  UnwrittenFindings unwritten = arguments.unwritten;
  if (const auto done = analyze_the_rest(arguments.run, options, unwritten); !done)
    return fail_to_read(arguments.run, done.error());
  const auto run =
      read_document(arguments.run, document_options(options, "", std::move(unwritten)));
  if (!run) return fail_to_read(arguments.run, run.error());
  const auto only = numbers_of(arguments.findings, *run);
  if (!only) return fail(only.error().message, kExitUsage);
  const bool by_itself = wanted.empty() && (format == "html" || format == "otf2");
  const std::string file = by_itself       ? where_of(format, arguments.run)
                           : wanted == "-" ? ""
                                           : wanted;
  if (const auto written = write_report(format, file, *run, options, *only); !written)
    return fail(written.error().message +
                (by_itself && format == "html" ? "; -o FILE writes it elsewhere" : ""));
  if (!file.empty()) fmt::print("{}\n", file);
  return exit_code(*run, options);
}

Result<int> report_findings(const std::string& directory, const Options& options,
                            const ReportFile& report, const UnwrittenFindings& unwritten) {
  const auto run = read_document(directory, document_options(options, options.output, unwritten));
  if (!run) return run.error();
  if (const auto found = print_text(stderr, *run, options); !found) return found.error();
  if (run->counting() > 0 && !options.quiet)
    fmt::print(stderr, "Next: photofinish confirm {}\n", options.output);
  if (report.format == "text" && report.file.empty()) return exit_code(*run, options);
  const std::string file = report.file.empty()  ? where_of(report.format, options.output)
                           : report.file == "-" ? ""
                                                : report.file;
  if (const auto written = write_report(report.format, file, *run, options); !written)
    return written.error();
  if (!file.empty()) fmt::print(stderr, "photofinish: {}\n", file);
  return exit_code(*run, options);
}

}  // namespace photofinish
