// A new directory with a name of its own, for what does not outlive the process.
#pragma once

#include <stdlib.h>

#include <optional>
#include <string>

namespace photofinish {

// Inside of `folder`; nothing if it cannot be made there, and errno says why.
inline std::optional<std::string> make_temp_directory(const std::string& folder,
                                                      const std::string& name) {
  std::string path = folder + "/" + name + "-" + std::string(6, 'X');  // which mkdtemp replaces
  if (mkdtemp(path.data()) == nullptr) return {};
  return path;
}

}  // namespace photofinish
