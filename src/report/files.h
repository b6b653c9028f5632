// Reads and writes whole files.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace photofinish {

// The Error is "path: reason".
Result<std::string> read_text_file(const std::string& path);
// Replaces the file atomically, once `write` has written everything: readers never see half of it.
Result<bool> write_file(const std::string& path,
                        const std::function<Result<bool>(std::FILE*)>& write);
bool write_whole(int file, std::string_view text);

}  // namespace photofinish
