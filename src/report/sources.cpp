#include "report/sources.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace photofinish {
namespace {

constexpr int kAround = 8;              // lines before and after a requested one
constexpr std::size_t kLongLine = 400;  // generated code may have very long lines

SourceExcerpt excerpt(const std::string& path, const std::set<int>& wanted,
                      std::uint64_t started_ns) {
  SourceExcerpt reported;
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return {.trouble = std::strerror(errno)};
  if (!S_ISREG(status.st_mode)) return {.trouble = "not a file"};
  reported.changed =
      started_ns > 0 && static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                                static_cast<std::uint64_t>(status.st_mtim.tv_nsec) >
                            started_ns;
  std::ifstream file(path);
  if (!file) return {.trouble = std::strerror(errno)};
  int number = 0;
  auto next = wanted.begin();
  for (std::string line; next != wanted.end() && std::getline(file, line);) {
    ++number;
    while (next != wanted.end() && *next + kAround < number) ++next;
    if (next == wanted.end()) break;
    if (number < *next - kAround) continue;
    if (reported.chunks.empty() ||
        reported.chunks.back().first + static_cast<int>(reported.chunks.back().lines.size()) !=
            number)
      reported.chunks.push_back({number, {}});
    if (line.ends_with('\r')) line.pop_back();
    if (line.size() > kLongLine) line = line.substr(0, kLongLine) + " …";
    reported.chunks.back().lines.push_back(line);
  }
  return reported;
}

}  // namespace

void Sources::want(const std::vector<Frame>& stack) {
  for (const Frame& frame : stack)
    if (!frame.file.empty() && frame.line > 0) wanted_[frame.file].insert(frame.line);
}

std::map<std::string, SourceExcerpt> Sources::read(std::uint64_t started_ns) const {
  std::map<std::string, SourceExcerpt> all;
  for (const auto& [path, lines] : wanted_) all.emplace(path, excerpt(path, lines, started_ns));
  return all;
}

}  // namespace photofinish
