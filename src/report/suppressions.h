// Suppressions of findings, one in each line:
//
//   race:PATTERN            a race in memory; the function or file of a frame on either side
//                           matches
//   race:PATTERN|PATTERN    the innermost frame of one side matches the first pattern, that of the
//                           other side the second one
//   message_race:PATTERN    a message race; a frame of the receive or of one of its sends matches
//   window:PATTERN          a race in a window of that name
//
// Comments begin with #. Patterns may contain * and ?. They are compared with the function, the
// file name, the path, the module name, and file:line.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace photofinish {

struct FindingDocument;

struct Suppression {
  enum class Kind { Race, MessageRace, Window };
  Kind kind{};
  std::vector<std::string> patterns;  // one or two
  std::string text;                   // as in its file
  std::string file;                   // "built-in" for the default ones
  int line = 0;
  std::size_t used = 0;
};

Result<std::vector<Suppression>> read_suppressions(const std::string& path);
// `file`: its name in error messages.
Result<std::vector<Suppression>> parse_suppressions(const std::string& text,
                                                    const std::string& file);
std::vector<Suppression> builtin_suppressions();

bool matches(const Suppression& suppression, const FindingDocument& finding);
// The first suppression that matches a finding hides it and counts it.
void apply_suppressions(std::vector<Suppression>& suppressions,
                        std::vector<FindingDocument>& findings);
// For each of `findings` a line that suppresses it, after a comment that names it. The line names
// the functions of its ends, or their source lines if the functions would hide another finding of
// `all`. Each line appears once.
std::string suppressions_for(const std::vector<const FindingDocument*>& findings,
                             const std::vector<FindingDocument>& all);

}  // namespace photofinish
