#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual/completion.h"

namespace photofinish {
namespace {

// For text inside '[…]' of an _arguments specification, which is in single quotes.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string action_of(const OptionHelp& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  return option.value == "N" ? " " : "_files";
}

std::string specification(const OptionHelp& option) {
  const std::string value =
      option.value.empty() ? "" : fmt::format(":{}:{}", option.value, action_of(option));
  std::string text;
  for (const std::string& flag : option.flags) {
    const std::string joined = option.value.empty() ? "" : flag.starts_with("--") ? "=" : "+";
    text += fmt::format("        '{}{}[{}]{}' \\\n", flag, joined, escaped(option.help), value);
  }
  return text;
}

}  // namespace

std::string zsh_completion(const CommandTree& tree) {
  std::string names, commands;
  for (const CommandHelp& command : tree.commands) {
    names += fmt::format("      '{}:{}'\n", command.name, escaped(command.help));
    commands += fmt::format("    {})\n      _arguments -s \\\n", command.name);
    for (const OptionHelp& option : command.options) commands += specification(option);
    for (const OptionHelp& positional : command.positionals)
      commands += fmt::format("        ':{}:{}' \\\n", positional.flags[0],
                              !positional.choices.empty()
                                  ? fmt::format("({})", fmt::join(positional.choices, " "))
                              : positional.flags[0] == "run" ? "_files -/"
                                                             : "_files");
    commands +=
        command.takes_program ? "        '*::program:_normal'\n" : "        '*:file:_files'\n";
    commands += "      ;;\n";
  }
  return fmt::format(R"(#compdef {0}
# zsh completion for {0}, made by {0} completion zsh
_{0}() {{
  local -a commands
  if (( CURRENT == 2 )); then
    commands=(
{1}    )
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{2}  esac
}}
_{0} "$@"
)",
                     tree.name, names, commands);
}

}  // namespace photofinish
