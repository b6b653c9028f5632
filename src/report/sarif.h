// The report as SARIF 2.1.0, for those who show findings in a code review: GitHub, GitLab, Visual
// Studio, DefectDojo.
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"

namespace photofinish {

// The name under which a result has its fingerprint; a new way to work it out gets a new name.
inline constexpr std::string_view kFingerprintName = "photofinish/v1";
inline constexpr std::string_view kDeadlockRule =
    "deadlock";  // in results, but none of the findings that are compared and suppressed

std::string sarif_report(const RunDocument& run);

// What findings of a kind are, and what helps against them, in two sentences.
std::string help_text(FindingKind kind);

}  // namespace photofinish
