#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

namespace photofinish {
namespace {

using namespace std::chrono_literals;
constexpr auto kQuiet = 3s;  // shorter runs show no progress

std::uintmax_t bytes_in(const std::string& directory) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    if (entry.path().extension() == ".trace") bytes += entry.file_size(error);
  return bytes;
}

}  // namespace

StatusLine::StatusLine(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

void StatusLine::show(const std::string& text) {
  if (!shown_ || text == drawn_) return;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
  drawn_ = text;
}

void StatusLine::clear() {
  if (drawn_.empty()) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_.clear();
}

Progress::Progress(const Options& options)
    : line_(options.progress && !options.quiet), directory_(options.output) {}

void Progress::tick() {
  if (!shown()) return;
  const auto passed = std::chrono::steady_clock::now() - start_;
  // Short programs must not be delayed.
  std::this_thread::sleep_for(passed < 1s ? 5ms : 100ms);
  if (passed < kQuiet) return;
  line_.show(fmt::format("photofinish: running for {} s, {:.1f} MB recorded",
                         std::chrono::duration_cast<std::chrono::seconds>(passed).count(),
                         static_cast<double>(bytes_in(directory_)) / 1e6));
}

}  // namespace photofinish
