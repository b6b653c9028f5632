#include "report/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "report/site_text.h"

namespace photofinish {
namespace {

std::string end_identity(const EndDocument& end) {
  if (end.nothing || end.stack.empty()) return end.access + " ?";
  const Frame& frame = end.stack.front();
  // Without symbols only the address is left.
  if (frame.function.empty() && frame.file.empty())
    return fmt::format("{} {}", end.access, location_of(frame));
  return fmt::format("{} {} {}", end.access, frame.function, base_name(frame.file));
}

std::string end_title(const EndDocument& end) {
  const std::string what = end.access == "receive" || end.access == "send"
                               ? (end.call.empty() ? end.access : end.call)
                               : end.access;
  const Frame* frame = leading_frame(end.stack);
  return frame == nullptr ? what : what + " " + location_of(*frame);
}

}  // namespace

std::string identity_of(const FindingDocument& finding) {
  std::vector<std::string> ends;
  for (const EndDocument& end : finding.ends) {
    // The identity of a message race is its receive: which of the possible messages matched varies.
    if (finding.kind == FindingKind::MessageRace && end.role != "receive") continue;
    ends.push_back(end_identity(end));
  }
  std::sort(ends.begin(), ends.end());
  return fmt::format("{}: {}", rule_id(finding.kind), fmt::join(ends, " / "));
}

std::string fingerprint_of(const std::string& identity) {
  return fmt::format("{:016x}", XXH3_64bits(identity.data(), identity.size()));
}

std::string title_of(const FindingDocument& finding) {
  if (finding.kind == FindingKind::MessageRace)
    return finding.ends.empty() ? "" : end_title(finding.ends.front());
  std::vector<std::string> ends;
  for (const EndDocument& end : finding.ends) ends.push_back(end_title(end));
  return fmt::format("{}", fmt::join(ends, " and "));
}

}  // namespace photofinish
