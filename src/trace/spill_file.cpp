#include "trace/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/private_file.h"
#include "trace/file_write.h"

namespace photofinish {

SpillFile::~SpillFile() {
  if (file_ >= 0) close(file_);
}

Error SpillFile::trouble(const char* what) const {
  return {std::string("cannot ") + what + " what does not fit in memory, in " + directory_ + ": " +
          std::strerror(errno) + "; free space there, or raise --memory"};
}

Result<SpillFile::Extent> SpillFile::add(const std::vector<std::uint8_t>& bytes) {
  if (file_ < 0) file_ = open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file_ < 0) {  // not every file system supports unnamed files
    char name[32];
    std::snprintf(name, sizeof name, "/rank-%06d", number_);
    const std::string path = directory_ + name + kSpillEnding;
    file_ = create_private(path, O_RDWR);
    if (file_ < 0) return trouble("keep");
    unlink(path.c_str());
  }
  const Extent extent{size_, bytes.size()};
  if (!write_all(file_, bytes.data(), bytes.size(), size_)) return trouble("keep");
  size_ += bytes.size();
  return extent;
}

Result<std::vector<std::uint8_t>> SpillFile::read(const Extent& extent) const {
  std::vector<std::uint8_t> bytes(extent.size);
  for (std::size_t got = 0; got < bytes.size();) {
    const ssize_t more = pread(file_, bytes.data() + got, bytes.size() - got,
                               static_cast<off_t>(extent.offset + got));
    if (more < 0 && errno == EINTR) continue;
    if (more == 0) errno = EIO;
    if (more <= 0) return trouble("read");
    got += static_cast<std::size_t>(more);
  }
  return bytes;
}

void SpillFile::clear() {
  if (file_ >= 0 && size_ > 0) (void)!ftruncate(file_, 0);
  size_ = 0;
}

}  // namespace photofinish
