// The files of this folder, as CMake has put them into the program.
#pragma once

#include <string_view>

namespace photofinish {

extern const std::string_view kPageHtml, kStyleCss, kScript;

}  // namespace photofinish
