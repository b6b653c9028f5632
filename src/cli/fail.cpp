#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "trace/run_directory.h"

namespace photofinish {

int fail(const std::string& message, int code) {
  std::string line = "photofinish: " + message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  fmt::print(stderr, "{}\n", line);
  return code;
}

int fail_to_read(const std::string& run, const Error& error) {
  const bool is_damaged = recorded_ranks(run) && !ranks_with_findings(run).empty();
  return fail(error.message, is_damaged ? kExitToolError : kExitUsage);
}

}  // namespace photofinish
