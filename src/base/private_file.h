// Files and directories for their user alone: a record holds what the program computed and was
// given. Their modes are 0600 and 0700, whatever the umask; a stricter umask is kept.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace photofinish {

// As open() with O_CREAT and O_CLOEXEC. A plain file that is there already, and that others may
// read, is taken from them.
inline int open_private(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CREAT | O_CLOEXEC, 0600);
  struct stat status;
  if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      (status.st_mode & 077) != 0)
    (void)!fchmod(file, status.st_mode & 0700);
  return file;
}

// A file that nobody else has put there, nor a symbolic link: one that was left behind is removed.
inline int create_private(const std::string& path, int flags) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return -1;
  return open(path.c_str(), flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

// As mkdir().
inline int make_private_directory(const std::string& path) { return mkdir(path.c_str(), 0700); }

// With those above it. False: errno tells why; one that is there already is as good.
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
