// Creates a uniquely named directory for files that do not outlive the process.
#pragma once

#include <stdlib.h>

#include <optional>
#include <string>

namespace photofinish {

// Creates it in `folder`; nothing on failure, with the reason in errno.
inline std::optional<std::string> make_temp_directory(const std::string& folder,
                                                      const std::string& name) {
  std::string path = folder + "/" + name + "-" + std::string(6, 'X');  // replaced by mkdtemp
  if (mkdtemp(path.data()) == nullptr) return {};
  return path;
}

}  // namespace photofinish
