#include "manual/command_tree.h"

#include <algorithm>
#include <cctype>

namespace photofinish {

const CommandHelp* find_command(const CommandTree& tree, const std::string& name) {
  const auto found = std::find_if(tree.commands.begin(), tree.commands.end(),
                                  [&](const CommandHelp& one) { return one.name == name; });
  return found != tree.commands.end() ? &*found : nullptr;
}

std::vector<std::string> usage_of(const CommandTree& tree, const CommandHelp& command) {
  if (!command.usage.empty()) return command.usage;
  std::string line = tree.name + " " + command.name;
  if (!command.options.empty()) line += " [OPTIONS]";
  for (const OptionHelp& positional : command.positionals) {
    std::string name = positional.flags[0];
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    line += positional.optional ? " [" + name + "]" : " " + name;
  }
  return {line + (command.takes_program ? " PROGRAM ARGS..." : "")};
}

std::string flags_of(const OptionHelp& option) {
  std::string text;
  for (const std::string& flag : option.flags) text += (text.empty() ? "" : ", ") + flag;
  return option.value.empty() ? text : text + " " + option.value;
}

}  // namespace photofinish
