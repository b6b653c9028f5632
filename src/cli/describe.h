// Converts the command line definition to plain data. A header for main.cpp only: that is the one
// file compiled with CLI11, which compiles slowly.
#pragma once

#include <CLI/CLI.hpp>
#include <sstream>

#include "manual/command_tree.h"
#include "options/options.h"

namespace photofinish {

inline constexpr const char* kAdvancedOptions = "Advanced options";

// CLI11 appends the check of a value: "TEXT:{text,json}", "N:INT in [1 - 16]".
inline std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::istringstream words(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
  return choices;
}

inline OptionHelp describe(const CLI::Option& option) {
  OptionHelp help{.flags = {},
                  .value = {},
                  .choices = {},
                  .help = option.get_description(),
                  .optional = !option.get_required(),
                  .is_advanced = option.get_group() == kAdvancedOptions};
  for (const std::string& name : option.get_snames()) help.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) help.flags.push_back("--" + name);
  if (help.flags.empty()) help.flags.push_back(option.get_name(true));
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() > 0) help.value = type.substr(0, type.find(':'));
  help.choices = choices_in(type);
  for (const std::string& name : option.get_lnames()) {
    std::string word = name;
    std::replace(word.begin(), word.end(), '-', '_');
    if (help.choices.empty()) help.choices = choices_of(word);
  }
  return help;
}

inline std::vector<OptionHelp> describe_options(const CLI::App& app, bool positionals) {
  std::vector<OptionHelp> all;
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* one) { return !one->get_group().empty(); }))
    if (option->get_positional() == positionals) all.push_back(describe(*option));
  return all;
}

// The lines of a command's footer that show its usage.
inline std::vector<std::string> usage_lines(const CLI::App& command) {
  std::vector<std::string> usage;
  std::istringstream lines(command.get_footer());
  for (std::string line; std::getline(lines, line);)
    if (command.get_parent() != nullptr &&
        line.find("photofinish " + command.get_name()) != std::string::npos)
      usage.push_back(line);
  return usage;
}

inline CommandTree describe(const CLI::App& app, const std::string& version) {
  CommandTree tree{.name = app.get_name(),
                   .help = app.get_description(),
                   .version = version,
                   .notes = app.get_footer(),
                   .options = describe_options(app, false),
                   .commands = {}};
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    CommandHelp help{.name = command->get_name(),
                     .help = command->get_description(),
                     .usage = usage_lines(*command),
                     .options = describe_options(*command, false),
                     .positionals = describe_options(*command, true),
                     .takes_program = command->get_prefix_command()};
    tree.commands.push_back(std::move(help));
  }
  return tree;
}

}  // namespace photofinish
