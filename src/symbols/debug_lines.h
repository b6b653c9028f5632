// Whether reports about a program can name lines: it has a line table, or refers to a file that has
// one.
#pragma once

#include <string>

namespace photofinish {

bool has_debug_lines(const std::string& program);

}  // namespace photofinish
