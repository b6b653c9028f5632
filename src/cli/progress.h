// A status line on a terminal, rewritten while a program runs and removed at the end.
#pragma once

#include <chrono>
#include <string>

#include "options/options.h"

namespace photofinish {

// The line itself: on standard error, if that is a terminal and the option is on.
class StatusLine {
 public:
  explicit StatusLine(bool wanted);
  ~StatusLine() { clear(); }
  bool shown() const { return shown_; }
  void show(const std::string& text);  // rewrites the line if its text has changed
  void clear();

 private:
  bool shown_;
  std::string drawn_;
};

class Progress {
 public:
  explicit Progress(const Options& options);
  bool shown() const { return line_.shown(); }
  void tick();  // sleeps briefly, then rewrites the line
  void clear() { line_.clear(); }

 private:
  StatusLine line_;
  std::string directory_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace photofinish
