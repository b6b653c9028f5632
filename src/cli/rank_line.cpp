#include "cli/rank_line.h"

#include <fmt/format.h>

#include "cli/preload.h"
#include "launch/launcher.h"
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

}  // namespace

Result<std::vector<std::string>> rank_line(const Options& options, int ranks,
                                           const std::vector<std::string>& command,
                                           const std::string& token) {
  const std::vector<std::string> exec = exec_words(options, token);
  if (ranks == 0) return wrap_program(command, exec);
  MpiFlavour flavour;
  std::string mpi_library;
  bool uses_openshmem = false;
  if (const auto chosen = chosen_flavour(options.mpi)) {
    flavour = *chosen;
    if (const auto found = find_program(command[0]); !found) return found.error();
    if (const auto program = inspect_program(command[0]);
        program && program->flavour && program->flavour != flavour)
      return Error{fmt::format("{} was built with {}: remove --mpi", command[0],
                               name_of(*program->flavour))};
  } else {
    auto program = inspect_program(command[0]);
    if (!program || !program->flavour)
      if (const auto script = inspect_python_program(command)) program = *script;
    if (!program) return program.error();
    if (!program->flavour) return no_flavour_error(command[0]);
    flavour = *program->flavour;
    mpi_library = program->mpi_library;
    uses_openshmem = program->uses_openshmem;
  }
  if (const auto library = preload_library(flavour); !library) return library.error();
  auto line = launcher_for(flavour, ranks, mpi_library, uses_openshmem);
  if (!line) return line;
  line->insert(line->end(), exec.begin(), exec.end());
  line->insert(line->end(), command.begin(), command.end());
  return line;
}

}  // namespace photofinish
