#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"

namespace photofinish {

int fail(const std::string& message, int code) {
  std::string line = "photofinish: " + message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  fmt::print(stderr, "{}\n", line);
  return code;
}

}  // namespace photofinish
