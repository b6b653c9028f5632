// Runs a program with empty input, and returns its output and exit code. Never exceeds the time
// limit.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

struct Answer {
  bool started = false;
  bool ended = false;  // by itself, in time
  int code = -1;       // exit code, if it ended by itself
  std::string text;    // standard output and standard error

  bool well() const { return ended && code == 0; }
  std::string first_line() const;  // the first line with text
};

Answer ask(const std::vector<std::string>& words, int seconds = 10);

}  // namespace photofinish
