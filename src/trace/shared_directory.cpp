#include "trace/shared_directory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <thread>

#include "base/system_file.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

std::string unrecorded_path(const std::string& directory) {
  return directory + "/" + std::string(kUnrecordedFile);
}

}  // namespace

bool is_on_network(const std::string& path) {
  struct statfs system;
  std::string existing = path;
  while (statfs(existing.c_str(), &system) != 0) {
    const std::size_t slash = existing.find_last_of('/');
    if (slash == std::string::npos || existing == "/") return true;
    existing.resize(std::max<std::size_t>(slash, 1));
  }
  constexpr std::uint32_t kLocal[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,      BTRFS_SUPER_MAGIC,
                                      TMPFS_MAGIC,      RAMFS_MAGIC,          OVERLAYFS_SUPER_MAGIC,
                                      F2FS_SUPER_MAGIC, 0x2fc12fc1 /* ZFS */, SQUASHFS_MAGIC,
                                      MSDOS_SUPER_MAGIC};
  return std::find(std::begin(kLocal), std::end(kLocal),
                   static_cast<std::uint32_t>(system.f_type)) == std::end(kLocal);
}

bool sees_token(const std::string& directory, const std::string& token, int seconds) {
  using namespace std::chrono_literals;
  if (holds_token(directory, token)) return true;
  if (!is_on_network(directory)) return false;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (auto pause = 10ms; std::chrono::steady_clock::now() < until;
       pause = std::min<std::chrono::milliseconds>(2 * pause, 1000ms)) {
    std::this_thread::sleep_for(pause);
    // Reading a directory invalidates the client's cache of missing files.
    names_in_directory(directory.substr(0, directory.find_last_of('/') + 1).c_str());
    names_in_directory(directory.c_str());
    if (holds_token(directory, token)) return true;
  }
  return false;
}

void note_unrecorded(const std::string& directory) {
  const int file = open(unrecorded_path(directory).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file >= 0) close(file);
}

bool is_noted_unrecorded(const std::string& directory) {
  return access(unrecorded_path(directory).c_str(), F_OK) == 0;
}

}  // namespace photofinish
