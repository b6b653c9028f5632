// The commands with all their options: the data behind the manual and the shell completions. It is
// derived from the command line definition in main.cpp (cli/describe.h), so that both have the same
// contents.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

struct OptionHelp {
  std::vector<std::string> flags;    // "-n", "--np"
  std::string value;                 // "N"; empty: a switch
  std::vector<std::string> choices;  // all values, if there is a fixed list
  std::string help;
  bool optional = false;  // for positionals only: flags always are
  bool is_advanced = false;
};

struct CommandHelp {
  std::string name, help;
  std::vector<std::string> usage;  // complete lines; none: derived from the rest
  std::vector<OptionHelp> options;
  std::vector<OptionHelp> positionals;  // the single flag is the name
  bool takes_program = false;           // followed by a program and its arguments
};

struct CommandTree {
  std::string name, help, version, notes;
  std::vector<OptionHelp> options;
  std::vector<CommandHelp> commands;
};

const CommandHelp* find_command(const CommandTree& tree, const std::string& name);

// "photofinish dump [OPTIONS] RUN" for a command without usage lines of its own.
std::vector<std::string> usage_of(const CommandTree& tree, const CommandHelp& command);

// "-n, --np N"
std::string flags_of(const OptionHelp& option);

}  // namespace photofinish
