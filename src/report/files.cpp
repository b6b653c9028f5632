#include "report/files.h"

#include "base/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace photofinish {
namespace {

Error error_of(const std::string& path, int error) { return {path + ": " + std::strerror(error)}; }

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return error_of(path, errno);
  std::string text;
  char bytes[1 << 16];
  for (ssize_t more; (more = read(file, bytes, sizeof bytes)) != 0;) {
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) {
      const int error = errno;
      close(file);
      return error_of(path, error);
    }
    text.append(bytes, static_cast<std::size_t>(more));
  }
  close(file);
  return text;
}

bool write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<bool> write_file(const std::string& path,
                        const std::function<Result<bool>(std::FILE*)>& write) {
  struct stat status;
  // Only regular files can be replaced, not /dev/stdout or a pipe.
  const bool in_place = stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  const std::string unfinished = in_place ? path : path + ".new";
  const int descriptor = in_place ? open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)
                                  : create_private(unfinished, O_WRONLY);
  std::FILE* file = descriptor >= 0 ? fdopen(descriptor, "w") : nullptr;
  if (file == nullptr) return Error{"cannot write " + error_of(path, errno).message};
  auto done = write(file);
  if (std::fclose(file) != 0 && done) done = Error{"cannot write " + error_of(path, errno).message};
  if (done && !in_place && std::rename(unfinished.c_str(), path.c_str()) != 0)
    done = Error{"cannot write " + error_of(path, errno).message};
  if (!done && !in_place) unlink(unfinished.c_str());
  return done;
}

}  // namespace photofinish
