// What the user does not want to be told of, a line each:
//
//   race:PATTERN            a race in memory with a frame, on either side, whose function or file
//   matches race:PATTERN|PATTERN    the innermost frame of one side matches the one, that of the
//   other side the other message_race:PATTERN    a message race with such a frame at the receive or
//   at one of its sends window:PATTERN          a race in a window of that name
//
// Comments begin with #. A pattern has * and ?; it is compared with the function, the file's name,
// its path, the module's name, and file:line.
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
  std::string text;                   // as it stands in its file
  std::string file;                   // "built-in" for our own
  int line = 0;
  std::size_t used = 0;
};

Result<std::vector<Suppression>> read_suppressions(const std::string& path);
// `file` is what messages call it.
Result<std::vector<Suppression>> parse_suppressions(const std::string& text,
                                                    const std::string& file);
std::vector<Suppression> builtin_suppressions();

bool matches(const Suppression& suppression, const FindingDocument& finding);
// The first that matches each finding takes it, and is counted.
void apply_suppressions(std::vector<Suppression>& suppressions,
                        std::vector<FindingDocument>& findings);
// For each of `findings` a line that suppresses it, with a comment that says which it is. By the
// functions of its ends; by their lines where functions would hide another finding of `all`. No
// line is there twice.
std::string suppressions_for(const std::vector<const FindingDocument*>& findings,
                             const std::vector<FindingDocument>& all);

}  // namespace photofinish
