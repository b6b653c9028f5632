#include "cli/openshmem.h"

#include <fmt/format.h>

#include <algorithm>

#include "launch/mpi_program.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

std::string refusal(const std::string& command, const std::string& what) {
  return fmt::format(
      "photofinish {} does not support OpenSHMEM programs yet, and {} is one: use check, confirm, "
      "record, replay and explain",
      command, what);
}

}  // namespace

std::string no_openshmem_program(const std::string& command, const std::vector<std::string>& line) {
  for (const std::string& word : line) {
    if (word.empty() || word[0] == '-') continue;
    if (const auto program = inspect_program(word); program && program->uses_openshmem)
      return refusal(command, word);
  }
  return "";
}

std::string no_openshmem_run(const std::string& command, const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks || ranks->empty()) return "";
  const auto trace = RankTrace::open(directory, ranks->front());
  if (!trace) return "";
  const Definitions& definitions = (*trace)->definitions();
  const bool symmetric =
      std::any_of(definitions.wins.begin(), definitions.wins.end(),
                  [](const auto& win) { return win.second.flavour == WinFlavour::Symmetric; });
  return symmetric ? refusal(command, definitions.rank.program) : "";
}

}  // namespace photofinish
