// docs/options.md: every command, every option, as in --help.
#pragma once

#include <string>

#include "manual/command_tree.h"

namespace photofinish {

std::string options_page(const CommandTree& tree);

}  // namespace photofinish
