// Manual pages, in roff.
#pragma once

#include <string>

#include "manual/command_tree.h"

namespace photofinish {

std::string man_page(const CommandTree& tree);                              // photofinish(1)
std::string man_page(const CommandTree& tree, const CommandHelp& command);  // photofinish-check(1)

}  // namespace photofinish
