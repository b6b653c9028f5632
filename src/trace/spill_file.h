// Disk space for data that does not fit in memory. The file is unlinked as soon as it is open, so
// nothing remains, however the process ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace photofinish {

inline constexpr const char* kSpillEnding = ".spill";

class SpillFile {
 public:
  // Created in this directory on first use. `number` distinguishes the processes that use it.
  SpillFile(std::string directory, int number)
      : directory_(std::move(directory)), number_(number) {}
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  struct Extent {
    std::uint64_t offset = 0, size = 0;
  };
  Result<Extent> add(const std::vector<std::uint8_t>& bytes);
  Result<std::vector<std::uint8_t>> read(const Extent& extent) const;
  void clear();  // frees all extents

 private:
  Error trouble(const char* what) const;

  std::string directory_;
  int number_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace photofinish
