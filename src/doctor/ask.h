// Asks a program something: starts it, with nothing to read, and takes what it says and how it
// ends. It never takes longer than it may.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

struct Answer {
  bool started = false;
  bool ended = false;  // by itself, and in time
  int code = -1;       // of its end, if it ended by itself
  std::string text;    // both of its outputs

  bool well() const { return ended && code == 0; }
  std::string first_line() const;  // that says something
};

Answer ask(const std::vector<std::string>& words, int seconds = 10);

}  // namespace photofinish
