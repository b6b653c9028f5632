#include "cli/programming_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/caf/table/caf_call.h"
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
  return refusal(command, "OpenSHMEM", "check, confirm, explore, record, replay and explain", what);
}

std::string refuse_upc(const std::string& command, const std::string& what) {
  return refusal(command, "UPC", "check, confirm, explore, record, replay and explain", what);
}

std::string refuse_coarrays(const std::string& command, const std::string& what) {
  return refusal(command, "coarray", "check and confirm", what);
}

enum class Model { Other, OpenShmem, Upc, Coarray };

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
  Model model = Model::OpenShmem;
  if ((*trace)->next(first))
    model = is_upc(first->call) ? Model::Upc : is_caf(first->call) ? Model::Coarray : model;
  return {model, definitions.rank.program};
}

// Calls visit(word, program) for each word that is a program, until it returns a text.
template <class Visit>
std::string first_of_programs(const std::vector<std::string>& line, Visit visit) {
  for (const std::string& word : line) {
    if (word.empty() || word[0] == '-') continue;
    if (const auto program = inspect_program(word))
      if (std::string text = visit(word, *program); !text.empty()) return text;
  }
  return "";
}

}  // namespace

std::string no_coarray_program(const std::string& command, const std::vector<std::string>& line) {
  return first_of_programs(line, [&](const std::string& word, const MpiProgram& program) {
    return program.uses_coarrays ? refuse_coarrays(command, word) : "";
  });
}

std::string hidden_coarrays(const std::vector<std::string>& line) {
  return first_of_programs(line, [](const std::string& word, const MpiProgram& program) {
    return program.has_own_coarrays
               ? fmt::format(
                     "{} is linked statically with its coarray library: only the library's MPI "
                     "calls are checked, not coarrays. Link it with pfcaf",
                     word)
               : "";
  });
}

std::string no_openshmem_run(const std::string& command, const std::string& directory) {
  const RecordedProgram program = program_of(directory);
  return program.model == Model::OpenShmem ? refuse_openshmem(command, program.path)
                                           : no_upc_run(command, directory);
}

std::string no_upc_run(const std::string& command, const std::string& directory) {
  const RecordedProgram program = program_of(directory);
  return program.model == Model::Upc ? refuse_upc(command, program.path)
                                     : no_coarray_run(command, directory);
}

std::string process_word(const std::string& directory) {
  switch (program_of(directory).model) {
    case Model::Upc:
      return "thread";
    case Model::OpenShmem:
      return "PE";
    default:
      return "rank";
  }
}

std::string process_word(const std::vector<std::string>& line) {
  const std::string word =
      first_of_programs(line, [](const std::string&, const MpiProgram& program) {
        return program.uses_upc ? "thread" : program.uses_openshmem ? "PE" : "";
      });
  return word.empty() ? "rank" : word;
}

std::string no_coarray_run(const std::string& command, const std::string& directory) {
  const RecordedProgram program = program_of(directory);
  return program.model == Model::Coarray ? refuse_coarrays(command, program.path) : "";
}

}  // namespace photofinish
