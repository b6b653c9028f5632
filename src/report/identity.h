// What makes a finding the same one in another run, another build, or after somebody has added a
// line above it.
//
// Rule: its kind, and for each end what is done there, in which function of which file. Neither
// lines nor addresses, which move; nor ranks, windows and counts, which are a matter of the run.
// Two findings may have one identity: whoever compares runs counts them.
#pragma once

#include <string>

#include "report/document.h"

namespace photofinish {

std::string identity_of(const FindingDocument& finding);
// 16 hexadecimal digits of it.
std::string fingerprint_of(const std::string& identity);
// "put race.c:18 and get race.c:26": for people, with lines.
std::string title_of(const FindingDocument& finding);

}  // namespace photofinish
