#include "upc/command_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace photofinish::upc {
namespace {

constexpr std::array<std::string_view, 7> kPreprocessorWords{
    "-include", "-isystem", "-iquote", "-idirafter", "-MF", "-MT", "-MQ"};

bool is_one_of(std::string_view argument, std::string_view letters) {
  return argument.size() > 1 && argument[0] == '-' &&
         letters.find(argument[1]) != std::string_view::npos;
}

std::optional<int> positive(std::string_view text) {
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || value < 1)
    return std::nullopt;
  return value;
}

class Parser {
 public:
  Parser(int argc, char** argv) : arguments_(argv + 1, argv + argc) {}

  Result<CommandLine> run() {
    while (next_ < arguments_.size()) {
      const std::string argument = arguments_[next_++];
      if (own(argument)) continue;
      if (std::find(kPreprocessorWords.begin(), kPreprocessorWords.end(), argument) !=
          kPreprocessorWords.end()) {
        result_.preprocess.push_back(argument);
        result_.preprocess.push_back(value());
      } else if (is_one_of(argument, "DIU")) {
        result_.preprocess.push_back(argument);
        if (argument.size() == 2) result_.preprocess.push_back(value());
      } else if (argument.starts_with("-M")) {
        result_.preprocess.push_back(argument);
      } else if (is_one_of(argument, "lL") || argument.starts_with("-Wl,") ||
                 argument == "-shared" || argument == "-rdynamic") {
        result_.link.push_back(argument);
        if (argument == "-l" || argument == "-L") result_.link.push_back(value());
      } else if (argument == "-Xlinker") {
        result_.link.push_back(argument);
        result_.link.push_back(value());
      } else if (argument[0] == '-' && argument.size() > 1) {
        result_.compile.push_back(argument);
      } else {
        if (is_source(argument)) result_.sources.push_back(argument);
        result_.link.push_back(argument);
      }
    }
    if (!error_.empty()) return Error{error_};
    return std::move(result_);
  }

 private:
  std::string value() { return next_ < arguments_.size() ? arguments_[next_++] : ""; }

  void set_threads(const std::string& text) {
    result_.threads = positive(text);
    if (!result_.threads)
      error_ = "the number of threads is not a positive integer: -fupc-threads=" + text;
  }

  // Options with a meaning for pfupcc.
  bool own(const std::string& argument) {
    if (argument == "-c" || argument == "-S") {
      result_.until = CommandLine::Until::Compile;
      result_.assembly |= argument == "-S";
    } else if (argument == "-E") {
      result_.until = CommandLine::Until::Preprocess;
    } else if (argument == "-o") {
      result_.output = value();
    } else if (argument.starts_with("-o")) {
      result_.output = argument.substr(2);
    } else if (argument == "-x") {
      value();  // sources are UPC
    } else if (argument.starts_with("--mpi=")) {
      result_.mpi = argument.substr(6);
    } else if (argument.starts_with("-fupc-threads=") || argument.starts_with("-fupc-threads-")) {
      set_threads(argument.substr(14));
    } else if (argument.starts_with("-T=")) {
      set_threads(argument.substr(3));
    } else if (argument == "-T") {
      set_threads(value());
    } else if (argument == "-g0") {
      // The pass needs lines.
    } else if (argument == "--help") {
      result_.help = true;
    } else if (argument == "-v") {
      result_.verbose = true;
    } else {
      if (argument.starts_with("-g")) result_.debug_info = true;
      return false;
    }
    return true;
  }

  std::vector<std::string> arguments_;
  std::size_t next_ = 0;
  CommandLine result_;
  std::string error_;
};

}  // namespace

bool is_source(const std::string& argument) {
  return argument.ends_with(".upc") || argument.ends_with(".c");
}

Result<CommandLine> parse(int argc, char** argv) { return Parser(argc, argv).run(); }

}  // namespace photofinish::upc
