// Whole files: what a report is made with, and what it is written to.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace photofinish {

// The Error is "path: reason".
Result<std::string> read_text_file(const std::string& path);
// Replaces it at once, when `write` has written it all: nobody ever reads half of one.
Result<bool> write_file(const std::string& path,
                        const std::function<Result<bool>(std::FILE*)>& write);
bool write_whole(int file, std::string_view text);

}  // namespace photofinish
