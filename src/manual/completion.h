// Completion for shells: a script that the shell sources, or loads when it is first needed.
#pragma once

#include <string>

#include "manual/command_tree.h"

namespace photofinish {

std::string bash_completion(const CommandTree& tree);
std::string zsh_completion(const CommandTree& tree);
std::string fish_completion(const CommandTree& tree);

}  // namespace photofinish
