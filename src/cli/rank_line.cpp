#include "cli/rank_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/preload.h"
#include "launch/elf.h"
#include "launch/launcher.h"
#include "launch/mpi_program.h"
#include "launch/python_program.h"

namespace photofinish {
namespace {

// The words in front of the program: the per-rank wrapper. Everything it needs is in its arguments,
// because launchers do not forward the environment to other nodes.
std::vector<std::string> exec_words(const Options& options, const std::string& token) {
  std::vector<std::string> words{own_path(), "exec", "--token", token};
  if (const std::string text = format_options(options); !text.empty())
    words.insert(words.end(), {"--options", text});
  words.push_back("--");
  return words;
}

Result<MpiProgram> inspect(const Options& options, const std::vector<std::string>& command) {
  auto program = inspect_program(command[0]);
  if (const auto chosen = chosen_flavour(options.mpi)) {
    const auto found = find_program(command[0]);
    if (!found) return found.error();
    if (program && program->flavour && program->flavour != *chosen)
      return Error{fmt::format("{} was built with {}: remove --mpi", command[0],
                               name_of(*program->flavour))};
    return MpiProgram{.path = *found, .flavour = *chosen, .mpi_library = {}};
  }
  if (!program || !program->flavour)
    if (const auto script = inspect_python_program(command)) program = *script;
  if (program && !program->flavour) {
    const auto python = python_error(command);
    return python ? *python : no_flavour_error(command[0]);
  }
  return program;
}

// Whether the program in the command can run, if it is visible from here: the ranks would only say
// so after the start.
Result<std::vector<std::string>> wrap_found_program(const Options& options,
                                                    const std::vector<std::string>& command,
                                                    const std::vector<std::string>& exec) {
  auto line = wrap_program(command, exec);
  if (!line || options.mpi != "auto") return line;
  const auto wrapper = std::search(line->begin(), line->end(), exec.begin(), exec.end());
  if (line->end() - wrapper <= static_cast<std::ptrdiff_t>(exec.size())) return line;
  const std::string& name = *(wrapper + static_cast<std::ptrdiff_t>(exec.size()));
  if (!find_program(name) || is_interpreter(name)) return line;
  if (const auto program = inspect_program(name); !program) return program.error();
  return line;
}

}  // namespace

Result<std::vector<std::string>> rank_line(const Options& options, int ranks,
                                           const std::vector<std::string>& command,
                                           const std::string& token) {
  const std::vector<std::string> exec = exec_words(options, token);
  if (ranks == 0) {
    if (const auto launcher = find_program(command[0]); !launcher) return launcher.error();
    return wrap_found_program(options, command, exec);
  }
  const auto program = inspect(options, command);
  if (!program) return program.error();
  const MpiFlavour flavour = *program->flavour;
  if (const auto library = preload_library(flavour); !library) return library.error();
  auto line = launcher_for(flavour, ranks, program->mpi_library, program->uses_openshmem);
  if (!line) return line;
  line->insert(line->end(), exec.begin(), exec.end());
  line->insert(line->end(), command.begin(), command.end());
  return line;
}

int exit_code_without_line(const Options& options, int ranks,
                           const std::vector<std::string>& command) {
  return ranks > 0 && inspect(options, command) ? kExitToolError : kExitUsage;
}

}  // namespace photofinish
