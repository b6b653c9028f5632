// Completion scripts for shells, to be sourced or loaded on demand.
#pragma once

#include <string>

#include "manual/command_tree.h"

namespace photofinish {

std::string bash_completion(const CommandTree& tree);
std::string zsh_completion(const CommandTree& tree);
std::string fish_completion(const CommandTree& tree);

}  // namespace photofinish
