#include "manual/options_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "options/options.h"

namespace photofinish {
namespace {

constexpr std::string_view kTableHead =
    "| flag | in the environment | default | commands | what it does |\n|---|---|---|---|---|\n";

// A vertical bar would end the table cell.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

// An option of the table: all its flags, and the commands that have it.
struct Location {
  std::string flags, commands;
};
Location location_of(const CommandTree& tree, const std::string& flag) {
  Location location{.flags = "`" + flag + "`", .commands = ""};
  for (const CommandHelp& command : tree.commands)
    for (const OptionHelp& option : command.options) {
      if (std::find(option.flags.begin(), option.flags.end(), flag) == option.flags.end()) continue;
      location.commands += (location.commands.empty() ? "" : ", ") + command.name;
      location.flags =
          "`" + flags_of({.flags = option.flags, .value = "", .choices = {}, .help = ""}) + "`";
    }
  return location;
}

std::string flag_of(std::string_view option) {
  std::string flag = "--" + std::string(option);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

bool is_of_table(const OptionHelp& option) {
  const auto table = option_table();
  return std::any_of(table.begin(), table.end(), [&](const OptionInfo& info) {
    return std::find(option.flags.begin(), option.flags.end(), flag_of(info.name)) !=
           option.flags.end();
  });
}

}  // namespace

std::string options_page(const CommandTree& tree) {
  std::string text = fmt::format(
      "# Options\n\nMade by `{0} man --markdown` from the table that the tool itself uses "
      "(`src/options/options.def`); a test compares the two.\n\n"
      "Each of these is a flag of the commands in its row, and a word in the environment: "
      "`PHOTOFINISH_OPTIONS=\"stack_depth=8:verbose=1\"`. The flag wins. "
      "A value with a colon in it goes in quotes, and the name of a switch alone means 1.\n\n"
      "{1}",
      tree.name, kTableHead);
  std::string advanced;
  for (const OptionInfo& info : option_table()) {
    const std::string value = info.default_value.empty() ? "none" : "`" + info.default_value + "`";
    const Location location = location_of(tree, flag_of(info.name));
    (info.is_advanced ? advanced : text) +=
        fmt::format("| {} | `{}` | {} | {} | {} |\n", location.flags, info.name, value,
                    location.commands, cell(std::string(info.help)));
  }
  text += fmt::format("\nAdvanced options:\n\n{}{}", kTableHead, advanced);
  for (const CommandHelp& command : tree.commands) {
    text += fmt::format("\n## {} {}\n{}\n\n```text\n", tree.name, command.name, command.help);
    for (const std::string& line : usage_of(tree, command)) text += line + "\n";
    text += "```\n";
    std::string own;
    for (const OptionHelp& positional : command.positionals)
      own += fmt::format("| `{}` | {} |\n", positional.flags[0], cell(positional.help));
    for (const OptionHelp& option : command.options)
      if (!is_of_table(option))
        own += fmt::format("| `{}` | {} |\n", flags_of(option), cell(option.help));
    if (!own.empty()) text += "\n| | |\n|---|---|\n" + own;
  }
  return text + "\n" + tree.notes.substr(0, tree.notes.find('\n')) + "\n";
}

}  // namespace photofinish
