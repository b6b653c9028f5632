// One line on a terminal that is rewritten while a program runs, and gone when it ends.
#pragma once

#include <chrono>
#include <string>

#include "options/options.h"

namespace photofinish {

class Progress {
 public:
  explicit Progress(const Options& options);
  bool shown() const { return shown_; }
  void tick();  // waits a moment, then rewrites the line
  void clear();

 private:
  bool shown_;
  bool drawn_ = false;
  std::string directory_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace photofinish
