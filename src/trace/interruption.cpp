#include "trace/interruption.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/private_file.h"

namespace photofinish {
namespace {

std::string interrupted_path(const std::string& directory) {
  return directory + "/" + std::string(kInterruptedFile);
}

}  // namespace

// If it cannot be written, ranks without a recorded end count as dead.
void note_interruption(const std::string& directory) {
  const int file = open_private(interrupted_path(directory), O_WRONLY);
  if (file >= 0) close(file);
}

bool was_interrupted(const std::string& directory) {
  return access(interrupted_path(directory).c_str(), F_OK) == 0;
}

}  // namespace photofinish
