#include "cli/openshmem.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/upc/table/upc_call.h"
#include "launch/mpi_program.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

std::string refusal(const std::string& command, const std::string& model, const char* others,
                    const std::string& what) {
  return fmt::format("photofinish {} does not support {} programs yet, and {} is one: use {}",
                     command, model, what, others);
}

std::string refuse_openshmem(const std::string& command, const std::string& what) {
  return refusal(command, "OpenSHMEM", "check, confirm, record, replay and explain", what);
}

std::string refuse_upc(const std::string& command, const std::string& what) {
  return refusal(command, "UPC", "check, confirm, record, replay and explain", what);
}

enum class Model { Other, OpenShmem, Upc };

struct RecordedProgram {
  Model model = Model::Other;
  std::string path;
};

RecordedProgram program_of(const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks || ranks->empty()) return {};
  const auto trace = RankTrace::open(directory, ranks->front());
  if (!trace) return {};
  const Definitions& definitions = (*trace)->definitions();
  const bool symmetric =
      std::any_of(definitions.wins.begin(), definitions.wins.end(),
                  [](const auto& win) { return win.second.flavour == WinFlavour::Symmetric; });
  if (!symmetric) return {};
  const Event* first = nullptr;
  const bool upc = (*trace)->next(first) && is_upc(first->call);
  return {upc ? Model::Upc : Model::OpenShmem, definitions.rank.program};
}

}  // namespace

std::string no_openshmem_program(const std::string& command, const std::vector<std::string>& line) {
  for (const std::string& word : line) {
    if (word.empty() || word[0] == '-') continue;
    const auto program = inspect_program(word);
    if (program && program->uses_openshmem) return refuse_openshmem(command, word);
    if (program && program->uses_upc) return refuse_upc(command, word);
  }
  return "";
}

std::string no_openshmem_run(const std::string& command, const std::string& directory) {
  const RecordedProgram program = program_of(directory);
  switch (program.model) {
    case Model::OpenShmem:
      return refuse_openshmem(command, program.path);
    case Model::Upc:
      return refuse_upc(command, program.path);
    case Model::Other:
      break;
  }
  return "";
}

std::string process_word(const std::string& directory) {
  return program_of(directory).model == Model::Upc ? "thread" : "rank";
}

}  // namespace photofinish
