#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual/completion.h"

namespace photofinish {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

}  // namespace

std::string fish_completion(const CommandTree& tree) {
  std::string text = fmt::format(
      "# fish completion for {0}, made by {0} completion fish\ncomplete -c {0} -n "
      "__fish_use_subcommand -f\n",
      tree.name);
  for (const CommandHelp& command : tree.commands) {
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", tree.name,
                        command.name, quoted(command.help));
    const std::string here =
        fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", tree.name, command.name);
    for (const OptionHelp& option : command.options) {
      text += here;
      for (const std::string& flag : option.flags)
        text += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
      if (!option.choices.empty())
        text += " -x -a " + quoted(fmt::format("{}", fmt::join(option.choices, " ")));
      else if (!option.value.empty())
        text += option.value == "N" ? " -x" : " -r";
      text += " -d " + quoted(option.help) + "\n";
    }
    for (const OptionHelp& positional : command.positionals)
      if (!positional.choices.empty())
        text +=
            here + " -f -a " + quoted(fmt::format("{}", fmt::join(positional.choices, " "))) + "\n";
  }
  return text;
}

}  // namespace photofinish
