// The files of this folder, embedded into the program by CMake.
#pragma once

#include <string_view>

namespace photofinish {

extern const std::string_view kPageHtml, kStyleCss, kScript;

}  // namespace photofinish
