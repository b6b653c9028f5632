// Creates files and directories that only their user can read: a trace contains data of the
// program. Their modes are 0600 and 0700, independent of the umask; a stricter umask is respected.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace photofinish {

// Like open() with O_CREAT and O_CLOEXEC. Removes the permissions of others from an existing
// regular file.
inline int open_private(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CREAT | O_CLOEXEC, 0600);
  struct stat status;
  if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      (status.st_mode & 077) != 0)
    (void)!fchmod(file, status.st_mode & 0700);
  return file;
}

// Creates a new file: never opens a file or symbolic link of another user. An existing one is
// removed first.
inline int create_private(const std::string& path, int flags) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return -1;
  return open(path.c_str(), flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

// Like mkdir().
inline int make_private_directory(const std::string& path) { return mkdir(path.c_str(), 0700); }

// Creates the parents, too. False: errno has the reason. An existing directory is a success.
inline bool make_private_directories(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (!part.empty() && make_private_directory(part) != 0 && errno != EEXIST) return false;
    if (end == std::string::npos) break;
  }
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return false;
  if (S_ISDIR(status.st_mode)) return true;
  errno = ENOTDIR;
  return false;
}

}  // namespace photofinish
