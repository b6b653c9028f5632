#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual/completion.h"

namespace photofinish {
namespace {

std::string flags_of_all(const std::vector<OptionHelp>& options) {
  std::string text;
  for (const OptionHelp& option : options)
    for (const std::string& flag : option.flags) text += (text.empty() ? "" : " ") + flag;
  return text;
}

// The values of each option that takes one: "check --mpi" | "check --other") …
std::string values_of(const CommandHelp& command) {
  std::string text;
  for (const OptionHelp& option : command.options) {
    if (option.value.empty()) continue;
    std::string pattern;
    for (const std::string& flag : option.flags)
      pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : " | ", command.name, flag);
    const bool is_number = option.value == "N";
    if (!option.choices.empty())
      text += fmt::format(
          "    {})\n      COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n      return ;;\n",
          pattern, fmt::join(option.choices, " "));
    else
      text += fmt::format("    {})\n      {}return ;;\n", pattern,
                          is_number ? "compopt +o default 2>/dev/null\n      " : "");
  }
  return text;
}

std::string with_value(const CommandHelp& command) {
  std::vector<OptionHelp> valued;
  for (const OptionHelp& option : command.options)
    if (!option.value.empty()) valued.push_back(option);
  return flags_of_all(valued);
}

}  // namespace

// If COMPREPLY stays empty, bash completes file names.
std::string bash_completion(const CommandTree& tree) {
  std::string names, commands, values;
  for (const CommandHelp& command : tree.commands) {
    names += (names.empty() ? "" : " ") + command.name;
    const bool takes_run = !command.positionals.empty() && command.positionals[0].flags[0] == "run";
    std::string choices;
    if (!command.positionals.empty())
      choices = fmt::format("{}", fmt::join(command.positionals[0].choices, " "));
    commands += fmt::format("    {}) options='{}' valued='{}' argument='{}' words='{}' ;;\n",
                            command.name, flags_of_all(command.options), with_value(command),
                            command.takes_program ? "program"
                            : takes_run           ? "run"
                                                  : "",
                            choices);
    values += values_of(command);
  }
  return fmt::format(R"(# bash completion for {0}, made by {0} completion bash
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options='' valued='' argument='' words='' word previous='' seen='' i
  COMPREPLY=()
  # --option=value comes as three words.
  if [[ $current == = ]]; then current=''; elif [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W '{1} {2}' -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{3}    *) return ;;
  esac
  # Behind the program, and behind --, all words are the program's.
  for (( i = 2; i < COMP_CWORD; i++ )); do
    word=${{COMP_WORDS[i]}}
    if [[ $word == -- ]]; then
      [[ $(type -t _command_offset) == function ]] && _command_offset $((i + 1))
      return
    fi
    if [[ $word != -* && $word != = && $previous != = && " $valued " != *" $previous "* ]]; then seen=$word; [[ $argument == program ]] && return; fi
    previous=$word
  done
  case "${{COMP_WORDS[1]}} $before" in
{4}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $words && -z $seen ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ $argument == run && -z $seen ]]; then
    for word in "$current"*/; do [[ -f $word/run.json ]] && COMPREPLY+=("${{word%/}}"); done
  fi
}}
complete -o bashdefault -o default -F _{0} {0}
)",
                     tree.name, names, flags_of_all(tree.options), commands, values);
}

}  // namespace photofinish
