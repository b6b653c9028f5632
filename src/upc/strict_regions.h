// The lines where accesses without strict or relaxed are strict: #pragma upc strict, also in
// upc_strict.h.
#pragma once

#include <string>

#include "upc/tokens.h"

namespace photofinish::upc {

bool is_upc_pragma(const Token& token);

// "first last name" for each region, one a line, as the contents of a string literal for the pass.
// A pragma in a block is valid until the block ends.
std::string strict_regions(const Tokens& tokens);

}  // namespace photofinish::upc
