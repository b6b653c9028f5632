#include "launch/python_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "launch/child_output.h"
#include "launch/elf.h"
#include "launch/launcher.h"

namespace photofinish {
namespace {

namespace fs = std::filesystem;

// Prints the path of the extension that contains MPI's functions. Imports nothing: that would
// initialize MPI.
constexpr const char* kFindExtension =
    "import glob, importlib.util, os\n"
    "spec = importlib.util.find_spec('mpi4py')\n"
    "found = glob.glob(os.path.join(os.path.dirname(spec.origin), 'MPI.*.so')) if spec else []\n"
    "print('\\n'.join(found))";

bool is_python(const std::string& word) {
  return fs::path(word).filename().string().starts_with("python");
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The words of "#!/usr/bin/env python3" that name the interpreter; empty if it is another one.
std::vector<std::string> interpreter_of_script(const std::string& path) {
  std::istringstream line(first_line(path));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  if (words.empty() || !words[0].starts_with("#!")) return {};
  words[0].erase(0, 2);
  if (words[0].empty()) words.erase(words.begin());
  const auto python = std::ranges::find_if(words, is_python);
  if (python == words.end()) return {};
  return {*python};
}

std::string text_of(const std::string& path) {
  constexpr std::uintmax_t kMost = 4 << 20;
  std::error_code failed;
  if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) > kMost) return {};
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The script's file: the first argument that is one. Before it are options and their values.
std::string script_among(const std::vector<std::string>& arguments) {
  const auto found = std::find_if(arguments.begin(), arguments.end(), [](const std::string& word) {
    std::error_code failed;
    return !word.starts_with("-") && fs::is_regular_file(word, failed);
  });
  return found != arguments.end() ? *found : "";
}

std::optional<MpiFlavour> named_in(const std::string& script) {
  const std::string text = text_of(script);
  const auto names = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (names("mpi4py")) return std::nullopt;
  if (names("libmpich")) return MpiFlavour::Mpich;
  if (names("libmpi.so")) return MpiFlavour::OpenMpi;
  return std::nullopt;
}

}  // namespace

std::optional<MpiProgram> inspect_python_program(const std::vector<std::string>& command) {
  const auto path = find_program(command[0]);
  if (!path) return std::nullopt;
  std::vector<std::string> interpreter{*path};
  std::string script = script_among({command.begin() + 1, command.end()});
  if (!is_python(command[0])) {
    interpreter = interpreter_of_script(*path);
    if (interpreter.empty()) return std::nullopt;
    script = *path;
  }
  if (const auto named = named_in(script))
    return MpiProgram{.path = *path, .flavour = named, .mpi_library = {}};
  std::istringstream extensions(child_output({interpreter[0], "-c", kFindExtension}));
  for (std::string extension; std::getline(extensions, extension);)
    if (const auto found = inspect_library(extension); found && found->flavour)
      return MpiProgram{
          .path = *path, .flavour = found->flavour, .mpi_library = found->mpi_library};
  return std::nullopt;
}

std::optional<Error> python_error(const std::vector<std::string>& command) {
  std::string interpreter = command[0];
  if (!is_python(command[0])) {
    const auto path = find_program(command[0]);
    const auto words = path ? interpreter_of_script(*path) : std::vector<std::string>();
    if (words.empty()) return std::nullopt;
    interpreter = words[0];
  }
  return Error{fmt::format(
      "{}: cannot detect its MPI, because this {} has no mpi4py; install mpi4py, or choose another "
      "python3. If the script loads MPI itself, give --mpi=openmpi or --mpi=mpich",
      command[0], interpreter)};
}

}  // namespace photofinish
