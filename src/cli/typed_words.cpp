#include "cli/typed_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "cli/commands.h"
#include "launch/launcher.h"
#include "trace/run_directory.h"

namespace photofinish {

std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (words.size() > 1 && words[1] == "help") {
    words.erase(words.begin() + 1);
    words.resize(std::min<std::size_t>(words.size(), 2));
    words.push_back("--help");
  }
  return words;
}

void take_np(std::vector<std::string>& words, CLI::App& command, bool has_program) {
  if (command.get_option_no_throw("--np") == nullptr) return;
  for (auto word = words.begin() + 2; word != words.end() && *word != "--"; ++word) {
    if (*word == "-np") *word = "-n";
    if (word->starts_with("-np=")) word->erase(2, 1);
    if (!word->starts_with('-')) {
      if (has_program) return;
      continue;
    }
    const CLI::Option* option = command.get_option_no_throw(*word);
    if (option != nullptr && option->get_items_expected_max() > 0 && word + 1 != words.end())
      ++word;
  }
}

bool take_run_last(std::vector<std::string>& words) {
  const bool has_run = words.size() > 2 && is_run_directory(words[2]);
  if (has_run)
    std::rotate(words.begin() + 2, words.begin() + 3,
                std::find(words.begin() + 2, words.end(), "--"));
  return has_run;
}

void name_finding(std::string& finding) {
  if (finding.starts_with('f') && finding.find_first_not_of("0123456789", 1) == std::string::npos)
    finding[0] = 'F';
  if (!finding.empty() && finding.find_first_not_of("0123456789") == std::string::npos)
    finding.insert(0, "F");
}

std::string missing_value(const std::string& error, const CLI::App& command) {
  const std::string name = error.substr(0, error.find(':'));
  const CLI::Option* const option = command.get_option_no_throw(name);
  if (option == nullptr) return error;
  if (error.find("At Most") != std::string::npos) return name + " is given twice";
  const std::string type = option->get_type_name();
  return fmt::format("{0} needs a value: {0} {1}", name, type.substr(0, type.find(':')));
}

int one_too_many(const std::string& word, const CLI::App& command) {
  const bool is_finding = word.size() > 1 && (word[0] == 'F' || word[0] == 'f') &&
                          word.find_first_not_of("0123456789", 1) == std::string::npos &&
                          command.get_option_no_throw("--finding") != nullptr;
  return fail(
      fmt::format("one argument too many: {0}{1} (see photofinish {2} --help)", word,
                  is_finding ? "; did you mean --finding " + word + "?" : "", command.get_name()),
      kExitUsage);
}

void note_passed_options(const CLI::App& command, const Options& options) {
  const std::vector<std::string> line = command.remaining();
  if (line.empty() || options.quiet || is_launcher(line[0])) return;
  std::vector<std::string> passed;
  std::copy_if(line.begin() + 1, line.end(), std::back_inserter(passed), [&](std::string word) {
    word.resize(std::min(word.size(), word.find('=')));
    return word.starts_with("--") && command.get_option_no_throw(word) != nullptr;
  });
  if (!passed.empty())
    fail(fmt::format("passed on to {}: {} (options of photofinish go before the program)", line[0],
                     fmt::join(passed, " ")));
}

}  // namespace photofinish
