// The report as SARIF 2.1.0, for code review tools: GitHub, GitLab, Visual Studio, DefectDojo.
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"

namespace photofinish {

// The name of the fingerprint in a result. A new way to compute it gets a new name.
inline constexpr std::string_view kFingerprintName = "photofinish/v1";
inline constexpr std::string_view kDeadlockRule =
    "deadlock";  // in results, but never compared with a baseline or suppressed

std::string sarif_report(const RunDocument& run);

// What findings of this kind are, and how to fix them, in two sentences.
std::string help_text(FindingKind kind);

}  // namespace photofinish
