// pfupcc: compiles UPC. For each source: preprocess with clang, rewrite tokens, compile with clang
// and the lowering pass. Then link with the runtime. clang is started by MPI's own wrapper.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/temp_directory.h"
#include "upc/command_line.h"
#include "upc/diagnostics.h"
#include "upc/rewriter.h"

extern char** environ;

namespace photofinish::upc {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kUsage = 64;

constexpr const char* kHelp =
    R"(usage: pfupcc [--mpi=openmpi|mpich|PATH] [-fupc-threads=N] ARGUMENT...

Compiles and links UPC programs (.upc, .c) with clang-19 and a runtime on MPI.
Start the program with mpirun: one process is one UPC thread.

  -fupc-threads=N       makes THREADS the constant N (also: -T N)
  --mpi=openmpi|mpich   selects the MPI library if there are several
  --mpi=PATH            selects the wrapper itself, as /opt/mpi/bin/mpicc
  -v                    prints the commands
  --help                this text; other arguments are those of clang

  PHOTOFINISH_MPI       environment variable, the same as --mpi
  UPC_SHARED_HEAP_SIZE  environment variable of programs: bytes of each heap, per thread, as 512MB
)";

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Compiler {
 public:
  Compiler(CommandLine line, fs::path home, fs::path scratch)
      : line_(std::move(line)), home_(std::move(home)), scratch_(std::move(scratch)) {}

  int run() {
    if (!choose_mpi()) return kUsage;
    if (line_.sources.empty() && line_.link.empty()) {
      std::fputs("photofinish: no input files: pfupcc app.upc -o app\n", stderr);
      return kUsage;
    }
    if (line_.sources.size() > 1 && !line_.output.empty() &&
        line_.until != CommandLine::Until::Link) {
      std::fputs(
          "photofinish: -o names one file, and there are several sources: compile them one by "
          "one\n",
          stderr);
      return kUsage;
    }
    int failed = 0;
    for (const std::string& source : line_.sources)
      if (const int code = build(source); code != 0) failed = code;
    return failed != 0 || line_.until != CommandLine::Until::Link ? failed : link();
  }

 private:
  bool choose_mpi() {
    const char* variable = std::getenv("PHOTOFINISH_MPI");
    if (line_.mpi.empty() && variable != nullptr) line_.mpi = variable;
    wrapper_ = line_.mpi.empty()                          ? "mpicc"
               : line_.mpi.find('/') != std::string::npos ? line_.mpi
                                                          : "mpicc." + line_.mpi;
    for (const char* name : {"OMPI_CC", "MPICH_CC", "I_MPI_CC"}) setenv(name, "clang-19", 1);
    const fs::path shown = scratch_ / "show";
    if (execute({wrapper_, "-show"}, shown, scratch_ / "errors") != 0) {
      std::fprintf(stderr,
                   "photofinish: cannot run %s: install it, or choose with --mpi=openmpi, "
                   "--mpi=mpich or --mpi=/path/to/mpicc\n",
                   wrapper_.c_str());
      return false;
    }
    flavour_ = contents(shown).find("openmpi") != std::string::npos ? "openmpi" : "mpich";
    const fs::path library = home_ / "lib/photofinish" / ("libphotofinish-upc-" + flavour_ + ".so");
    if (fs::exists(library)) return true;
    std::fprintf(stderr, "photofinish: %s is missing: photofinish was built without %s\n",
                 library.c_str(), flavour_.c_str());
    return false;
  }

  int execute(const Words& words, const fs::path& output, const fs::path& errors) const {
    if (line_.verbose) {
      for (const std::string& word : words) std::fprintf(stderr, "%s ", word.c_str());
      std::fputc('\n', stderr);
    }
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
    if (!output.empty())
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), kNew, 0600);
    if (!errors.empty())
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), kNew, 0600);
    pid_t child = 0;
    const int failed =
        posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (failed != 0 || waitpid(child, &status, 0) < 0) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }

  // Runs clang, and prints what it says in the words of UPC.
  int clang(const Words& arguments, const fs::path& output) const {
    Words words{wrapper_, "-fno-caret-diagnostics", "-fno-color-diagnostics"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const fs::path errors = scratch_ / "errors";
    const int code = execute(words, output, errors);
    std::fputs(in_upc_words(contents(errors)).c_str(), stderr);
    return code;
  }

  Words preprocessing(const std::string& source) const {
    Words words{"-E",
                "-x",
                "c",
                "-D__UPC__=1",
                "-D__UPC_VERSION__=201311L",
                "-D__UPC_COLLECTIVE__=1",
                "-D__UPC_TICK__=1",
                "-D__UPC_ATOMIC__=1",
                "-D__UPC_NB__=1",
                "-D__UPC_CASTABLE__=1",
                "-D__PHOTOFINISH_UPC__=1"};
    if (line_.threads) {
      words.push_back("-D__UPC_STATIC_THREADS__=" + std::to_string(*line_.threads));
      words.push_back("-DTHREADS=" + std::to_string(*line_.threads));
    } else {
      words.push_back("-D__UPC_DYNAMIC_THREADS__=1");
    }
    words.push_back("--start-no-unused-arguments");
    words.insert(words.end(), line_.preprocess.begin(), line_.preprocess.end());
    words.insert(words.end(), line_.compile.begin(), line_.compile.end());
    words.push_back("-I" + (home_ / "include/photofinish/upc").string());
    words.push_back("--end-no-unused-arguments");
    words.push_back(source);
    return words;
  }

  std::string object_of(const std::string& source) const {
    if (line_.until == CommandLine::Until::Link)
      return (scratch_ / (std::to_string(std::hash<std::string>{}(source)) + ".o")).string();
    if (!line_.output.empty()) return line_.output;
    return fs::path(source).filename().replace_extension(line_.assembly ? ".s" : ".o").string();
  }

  int build(const std::string& source) const {
    const fs::path preprocessed = scratch_ / "preprocessed";
    const bool stop = line_.until == CommandLine::Until::Preprocess;
    if (const int code = clang(preprocessing(source), stop ? fs::path(line_.output) : preprocessed);
        code != 0 || stop)
      return code;
    const Rewritten rewritten = rewrite(contents(preprocessed), {.threads = line_.threads});
    for (const RewriteError& error : rewritten.errors)
      std::fputs(error_text(error.file.substr(1, error.file.size() - 2), error.line, error.column,
                            error.text)
                     .c_str(),
                 stderr);
    if (!rewritten.errors.empty()) return 1;
    const fs::path made = scratch_ / "rewritten.c";
    std::ofstream(made, std::ios::binary) << rewritten.text;
    return compile(made, object_of(source));
  }

  int compile(const fs::path& made, const std::string& object) const {
    const fs::path plugins = home_ / "lib/photofinish";
    Words words{
        line_.assembly ? "-S" : "-c", "-x", "c", "-include",
        (home_ / "include/photofinish/upc/prelude.h").string(), "--start-no-unused-arguments",
        // The second pass makes loads and stores visible to photofinish check.
        "-fpass-plugin=" + (plugins / "photofinish-upc-19.so").string(),
        "-fpass-plugin=" + (plugins / "photofinish-pass-19.so").string(),
        // The rewriter's C is not what a person would write.
        "-Wno-int-conversion", "-Wno-pointer-integer-compare", "-Wno-array-bounds",
        "-Wno-dangling-else", "-Wno-pointer-to-int-cast", "-Wno-int-to-pointer-cast",
        "-Wno-bitfield-constant-conversion", "-Wno-parentheses-equality", "-Wno-gnu-line-marker",
        "-Werror=compare-distinct-pointer-types", "-Werror=incompatible-pointer-types",
        "-Wno-c23-extensions", "-Wno-bit-int-extension"};
    if (!line_.debug_info) words.push_back("-gline-tables-only");
    if (line_.threads) words.push_back("-DTHREADS=" + std::to_string(*line_.threads));
    words.insert(words.end(), line_.compile.begin(), line_.compile.end());
    words.insert(words.end(), {"--end-no-unused-arguments", "-o", object, made.string()});
    return clang(words, {});
  }

  int link() const {
    Words words{wrapper_};
    words.insert(words.end(), line_.compile.begin(), line_.compile.end());
    for (const std::string& argument : line_.link)
      words.push_back(is_source(argument) ? object_of(argument) : argument);
    const std::string plugins = (home_ / "lib/photofinish").string();
    words.insert(words.end(), {"-L" + plugins, "-Wl,-rpath," + plugins, "-Wl,--no-as-needed",
                               "-lphotofinish-upc-" + flavour_});
    if (!line_.output.empty()) words.insert(words.end(), {"-o", line_.output});
    return execute(words, {}, {});
  }

  CommandLine line_;
  fs::path home_, scratch_;
  std::string wrapper_, flavour_;
};

}  // namespace
}  // namespace photofinish::upc

int main(int argc, char** argv) {
  using namespace photofinish;
  auto line = upc::parse(argc, argv);
  if (!line) {
    std::fprintf(stderr, "photofinish: %s\n", line.error().message.c_str());
    return upc::kUsage;
  }
  if ((*line).help) {
    std::fputs(upc::kHelp, stdout);
    return 0;
  }
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const char* folder = std::getenv("TMPDIR");
  const auto scratch = make_temp_directory(folder != nullptr ? folder : "/tmp", "pfupcc");
  if (!scratch) {
    std::perror("photofinish: cannot create a temporary directory (TMPDIR selects where)");
    return 1;
  }
  const int code =
      upc::Compiler(std::move(*line), self.parent_path().parent_path(), *scratch).run();
  std::filesystem::remove_all(*scratch, error);
  return code;
}
