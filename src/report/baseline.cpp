#include "report/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "report/files.h"
#include "report/identity.h"
#include "report/sarif.h"

namespace photofinish {
namespace {

using nlohmann::json;

std::vector<KnownFinding> of_json(const json& report) {
  std::vector<KnownFinding> known;
  for (const json& finding : report.at("findings"))
    known.push_back({finding.at("fingerprint").get<std::string>(),
                     fmt::format("{}, {}", finding.at("name").get<std::string>(),
                                 finding.at("title").get<std::string>()),
                     finding.contains("suppressedBy")});
  return known;
}

std::vector<KnownFinding> of_sarif(const json& log) {
  std::vector<KnownFinding> known;
  for (const json& run : log.at("runs"))
    for (const json& result : run.at("results"))
      if (result.at("ruleId") != kDeadlockRule)
        known.push_back(
            {result.at("partialFingerprints").at(std::string(kFingerprintName)).get<std::string>(),
             result.at("properties").at("title").get<std::string>(),
             result.contains("suppressions")});
  return known;
}

}  // namespace

Result<std::vector<KnownFinding>> read_baseline(const std::string& path,
                                                const DocumentOptions& options, bool* complete) {
  bool ignored = true;
  if (complete == nullptr) complete = &ignored;
  *complete = true;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    const auto run = read_document(path, options);
    if (!run) return run.error();
    // Without functions and files, all findings would count as new.
    if (!run->changed_modules.empty() && !run->findings.empty())
      return Error{fmt::format(
          "cannot compare {0}: {1} has changed since, and no earlier report stored the lines of "
          "its findings. Run photofinish check again, or give a JSON report of {0}",
          path, run->changed_modules.front())};
    *complete = !run->incomplete();
    std::vector<KnownFinding> known;
    for (const FindingDocument& finding : run->findings)
      known.push_back({finding.fingerprint,
                       fmt::format("{}, {}", kind_name(finding.kind), title_of(finding)),
                       finding.suppressed_by.has_value()});
    return known;
  }
  const auto text = read_text_file(path);
  if (!text) return Error{"cannot read " + text.error().message};
  const json report = json::parse(*text, nullptr, false);
  try {
    if (report.is_object() && report.contains("findings")) {
      *complete = report.at("summary").value("complete", true);
      return of_json(report);
    }
    if (report.is_object() && report.contains("runs")) {
      for (const json& run : report.at("runs"))
        if (run.contains("invocations"))
          for (const json& one : run.at("invocations"))
            if (one.contains("properties") && !one.at("properties").value("complete", true))
              *complete = false;
      return of_sarif(report);
    }
  } catch (const json::exception&) {  // not a report of this tool
  }
  return Error{path + " is not a baseline: give a run directory, or a report in JSON or SARIF"};
}

void mark_known(std::vector<KnownFinding>& baseline, std::vector<FindingDocument>& findings) {
  for (FindingDocument& finding : findings) {
    const auto found = std::find_if(baseline.begin(), baseline.end(), [&](const KnownFinding& one) {
      return one.fingerprint == finding.fingerprint;
    });
    if (found == baseline.end()) continue;
    finding.known = true;
    baseline.erase(found);
  }
}

}  // namespace photofinish
