// The identity of a finding: equal in another run, in another build, and after a line was added
// above it.
//
// Rule: the identity consists of the kind of the finding, and for each end of the access, its
// function and its file. Lines and addresses are excluded because they move. Ranks, windows and
// counts are excluded because they depend on the run. Two findings may have the same identity: to
// compare runs, count them.
#pragma once

#include <string>

#include "report/document.h"

namespace photofinish {

std::string identity_of(const FindingDocument& finding);
// 16 hexadecimal digits of its hash.
std::string fingerprint_of(const std::string& identity);
// "put race.c:18 and get race.c:26": for people, with line numbers.
std::string title_of(const FindingDocument& finding);

}  // namespace photofinish
