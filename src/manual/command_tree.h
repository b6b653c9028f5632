// The commands, with all that can be said to them: what the manual and the shells' completions are
// made from. Plain data; main.cpp's command line is where it comes from (cli/describe.h), so that
// nothing can be in one and not in the other.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

struct OptionHelp {
  std::vector<std::string> flags;    // "-n", "--np"
  std::string value;                 // "N"; empty: a switch
  std::vector<std::string> choices;  // all that the value can be, if that is a list
  std::string help;
  bool optional = false;  // said of positionals: flags are
};

struct CommandHelp {
  std::string name, help;
  std::vector<std::string> usage;  // whole lines; none: made up from the rest
  std::vector<OptionHelp> options;
  std::vector<OptionHelp> positionals;  // one flag each: the name
  bool takes_program = false;           // what follows is a program and its arguments
};

struct CommandTree {
  std::string name, help, version, notes;
  std::vector<OptionHelp> options;
  std::vector<CommandHelp> commands;
};

const CommandHelp* find_command(const CommandTree& tree, const std::string& name);

// "photofinish dump [OPTIONS] RUN" where a command has no lines of its own.
std::vector<std::string> usage_of(const CommandTree& tree, const CommandHelp& command);

// "-n, --np N"
std::string flags_of(const OptionHelp& option);

}  // namespace photofinish
