#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

namespace photofinish {
namespace {

using namespace std::chrono_literals;
constexpr auto kQuiet = 3s;  // a run that is shorter than this needs none

std::uintmax_t bytes_in(const std::string& directory) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    if (entry.path().extension() == ".trace") bytes += entry.file_size(error);
  return bytes;
}

}  // namespace

Progress::Progress(const Options& options)
    : shown_(options.progress && isatty(STDERR_FILENO) == 1), directory_(options.output) {}

void Progress::tick() {
  if (!shown_) return;
  const auto passed = std::chrono::steady_clock::now() - start_;
  // Short programs should not wait for us.
  std::this_thread::sleep_for(passed < 1s ? 5ms : 100ms);
  if (passed < kQuiet) return;
  fmt::print(stderr, "\r\033[Kphotofinish: running for {} s, {:.1f} MB recorded",
             std::chrono::duration_cast<std::chrono::seconds>(passed).count(),
             static_cast<double>(bytes_in(directory_)) / 1e6);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace photofinish
