// Messages of clang, in the words of UPC, with the user's line.
#pragma once

#include <string>

namespace photofinish::upc {

// All that clang wrote.
std::string in_upc_words(const std::string& text);

// file:line:column: error: text, then the line and a mark below the column.
std::string error_text(const std::string& file, int line, int column, const std::string& text);

}  // namespace photofinish::upc
