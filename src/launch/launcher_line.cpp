// Finds the program in a launcher command line, and inserts the per-rank wrapper in front of it.
//
// Launchers share no grammar, and the word after an unknown option may be its value or the program.
// So the search uses what the words are, not only their positions. In each part of the line (":"
// separates the programs of one job) it takes
//   1. the first word that is an MPI program, also behind `numactl …`, `env …` and the like;
//   2. else the first executable that must be the program, because all words before it are known;
//   3. else the first executable given with a slash (`./run.sh`), then the first one found in PATH.
// Values of options in launcher_options.def are never taken.
//
// Limit: a script that takes an MPI program as an argument and does not run it is missed. The user
// can write `photofinish exec` into the line; it is then left unchanged.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "launch/launcher.h"

namespace photofinish {
namespace {

using Words = std::vector<std::string>;

enum class Syntax { Mpirun, Srun, Aprun, Jsrun, Flux };

const std::map<std::string, Syntax, std::less<>>& launchers() {
  static const std::map<std::string, Syntax, std::less<>> table = {
#define LAUNCHER(name, syntax) {name, Syntax::syntax},
#include "launch/launcher_options.def"
  };
  return table;
}

using OptionTable = std::map<std::pair<Syntax, std::string>, int>;

OptionTable read_option_table() {
  OptionTable table;
  const auto add = [&](Syntax syntax, const char* names, int values) {
    std::istringstream words(names);
    for (std::string name; words >> name;) table[{syntax, name}] = values;
  };
#define OPTION(syntax, names, values) add(Syntax::syntax, names, values);
#include "launch/launcher_options.def"
  return table;
}

std::optional<int> values_of(Syntax syntax, const std::string& name) {
  static const OptionTable table = read_option_table();
  const auto found = table.find({syntax, name});
  if (found == table.end()) return std::nullopt;
  return found->second;
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

// mpirun accepts both -np and --np; the other launchers have single-letter options with attached
// values (-n4).
bool has_attached_values(Syntax syntax) { return syntax != Syntax::Mpirun; }

// The number of words that follow the option; nothing if the option is unknown.
std::optional<int> values_after(Syntax syntax, const std::string& option) {
  if (option == "--" || option.find('=') != std::string::npos) return 0;
  const bool is_long = option[1] == '-';
  const std::string name = option.substr(is_long ? 2 : 1);
  if (const auto values = values_of(syntax, name)) return values;
  const bool is_cluster =
      !is_long && has_attached_values(syntax) && values_of(syntax, name.substr(0, 1));
  return is_cluster ? std::optional(0) : std::nullopt;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}  // npos + 1 is 0

std::optional<Syntax> launcher_syntax(std::string_view word) {
  std::string_view name = base_name(word);
  for (const std::string_view suffix : {".openmpi", ".mpich", ".hydra", ".slurm"})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  const auto found = launchers().find(name);
  if (found == launchers().end()) return std::nullopt;
  return found->second;
}

bool has_slash(const std::string& word) { return word.find('/') != std::string::npos; }

// Hydra and srun also start programs of the current directory without ./.
std::string as_found_by_launcher(const std::string& word) {
  if (has_slash(word) || find_program(word)) return word;
  return find_program("./" + word) ? "./" + word : word;
}

bool is_mpi_program(const std::string& word) {
  const auto program = inspect_program(as_found_by_launcher(word));
  return program && program->flavour;
}

bool names_program(const std::string& word) { return static_cast<bool>(find_program(word)); }

struct Candidate {
  size_t at;
  bool certain;  // cannot be the value of an unknown option
};

// The words of [begin, end) that are neither options nor values of options of the launcher. After
// the first executable that cannot be a value, options no longer belong to the launcher: in `srun
// valgrind -q ./app`, -q takes no value.
std::vector<Candidate> candidates(const Words& line, size_t begin, size_t end, Syntax syntax) {
  std::vector<Candidate> found;
  bool certain = true;
  bool in_launcher_options = true;
  for (size_t i = begin; i < end; ++i) {
    if (!is_option(line[i])) {
      found.push_back({i, certain});
      if (certain && names_program(line[i])) in_launcher_options = false;
      certain = true;
    } else if (in_launcher_options) {
      const auto values = values_after(syntax, line[i]);
      certain = values.has_value();
      i += static_cast<size_t>(values.value_or(0));
    }
  }
  return found;
}

std::optional<size_t> find_program_word(const Words& line, std::vector<Candidate> candidates) {
  const auto interpreter = std::ranges::find_if(
      candidates, [&](const Candidate& c) { return is_interpreter(line[c.at]); });
  if (interpreter != candidates.end()) candidates.erase(interpreter + 1, candidates.end());
  const auto first = [&](auto accept) -> const Candidate* {
    const auto found =
        std::ranges::find_if(candidates, [&](const Candidate& c) { return accept(line[c.at]); });
    return found == candidates.end() ? nullptr : &*found;
  };
  if (const Candidate* mpi = first(is_mpi_program)) return mpi->at;
  const Candidate* executable = first(names_program);
  if (executable == nullptr) return std::nullopt;
  if (executable->certain) return executable->at;
  const Candidate* with_slash =
      first([](const std::string& word) { return has_slash(word) && names_program(word); });
  return with_slash != nullptr ? with_slash->at : executable->at;
}

bool is_wrapped(const Words& line) {
  for (size_t i = 0; i + 1 < line.size(); ++i)
    if (base_name(line[i]) == "photofinish" && line[i + 1] == "exec") return true;
  return false;
}

// Options that name programs in a file. The tool does not rewrite the user's files.
bool names_programs_in_file(const std::string& word) {
  const std::string_view option = std::string_view(word).substr(0, word.find('='));
  for (const std::string_view name :
       {"--app", "-app", "--configfile", "-configfile", "--multi-prog", "--erf_input"})
    if (option == name) return true;
  return false;
}

bool file_is_wrapped(const std::string& word) {
  const std::string path = word.substr(is_option(word) ? word.find('=') + 1 : 0);  // npos + 1 is 0
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return false;
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.find("photofinish exec ") != std::string::npos;
}

Result<Words> without_program(const Words& line, size_t begin, size_t end) {
  const auto option =
      std::find_if(line.begin() + begin, line.begin() + end, names_programs_in_file);
  if (option == line.begin() + end) {
    const std::string text =
        fmt::format("{}", fmt::join(line.begin() + begin, line.begin() + end, " "));
    return Error{
        fmt::format("no program found in '{}': check its path. If a script starts the program, put "
                    "'photofinish exec' before it in the script, and run the script itself",
                    text)};
  }
  if (std::ranges::any_of(line, file_is_wrapped)) return line;
  return Error{fmt::format(
      "the programs are named in the file of {}; write 'photofinish exec' in front of each there",
      *option)};
}

// flux run …, flux submit …, flux mini run …
size_t after_launcher(const Words& line, size_t launcher, Syntax syntax) {
  size_t next = launcher + 1;
  if (syntax != Syntax::Flux) return next;
  if (next < line.size() && line[next] == "mini") ++next;
  return std::min(next + 1, line.size());
}

void append_wrapped(Words& to, const Words& line, size_t begin, size_t program, size_t end,
                    const Words& prefix) {
  to.insert(to.end(), line.begin() + begin, line.begin() + program);
  to.insert(to.end(), prefix.begin(), prefix.end());
  to.push_back(as_found_by_launcher(line[program]));
  to.insert(to.end(), line.begin() + program + 1, line.begin() + end);
}

// The first word is no known launcher: it is the program itself, or a site's launcher followed by
// an MPI program.
Result<Words> wrap_without_launcher(const Words& line, const Words& prefix) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (is_option(line[i]) || !is_mpi_program(line[i])) continue;
    Words wrapped;
    append_wrapped(wrapped, line, 0, i, line.size(), prefix);
    return wrapped;
  }
  return without_program(line, 0, line.size());
}

}  // namespace

bool is_launcher(const std::string& word) { return launcher_syntax(word).has_value(); }

bool is_interpreter(const std::string& word) {
  const std::string_view name = base_name(word);
  for (const std::string_view shell :
       {"sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish", "perl"})
    if (name == shell) return true;
  return name.starts_with("python");
}

Result<std::vector<std::string>> wrap_program(const Words& line, const Words& prefix) {
  if (line.empty())
    return Error{"nothing to run; write: photofinish check -- LAUNCHER ... PROGRAM"};
  if (is_wrapped(line)) return line;
  // Not always the first word: `timeout 60 mpirun …`.
  const auto launcher = std::ranges::find_if(
      line, [](const auto& word) { return launcher_syntax(word).has_value(); });
  if (launcher == line.end() || (launcher != line.begin() && is_mpi_program(line[0])))
    return wrap_without_launcher(line, prefix);

  const Syntax syntax = *launcher_syntax(*launcher);
  size_t begin = after_launcher(line, static_cast<size_t>(launcher - line.begin()), syntax);
  Words wrapped(line.begin(), line.begin() + begin);
  for (;;) {
    const bool has_parts = syntax != Syntax::Flux;
    const auto colon = has_parts ? std::find(line.begin() + begin, line.end(), ":") : line.end();
    const size_t end = static_cast<size_t>(colon - line.begin());
    const auto program = find_program_word(line, candidates(line, begin, end, syntax));
    if (!program) return without_program(line, begin, end);
    append_wrapped(wrapped, line, begin, *program, end, prefix);
    if (colon == line.end()) return wrapped;
    wrapped.push_back(":");
    begin = end + 1;
  }
}

}  // namespace photofinish
