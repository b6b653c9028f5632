// The format of --help. CLI11's own format shows the checks of values ("N:INT in [1 - 16]") and the
// off values of switches ("{false}"), omits positional arguments, and does not break lines. A
// header for main.cpp only, as describe.h.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/describe.h"

namespace photofinish {

inline constexpr std::size_t kHelpWidth = 100;

// Breaks a text into lines of at most kHelpWidth columns. The first one starts in column `used`;
// the others are indented.
inline std::string wrapped(const std::string& text, std::size_t used, std::size_t indent) {
  std::string out;
  std::istringstream words(text);
  bool is_first = true;
  for (std::string word; words >> word; is_first = false) {
    const auto width =  // of UTF-8
        static_cast<std::size_t>(std::count_if(word.begin(), word.end(),
                                               [](unsigned char c) { return (c & 0xc0) != 0x80; }));
    if (!is_first && used + 1 + width > kHelpWidth) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (!is_first) {
      out += ' ';
      ++used;
    }
    out += word;
    used += width;
  }
  return out;
}

class HelpFormat : public CLI::Formatter {
 public:
  // The usage lines of a command are in its footer, where describe() finds them for the manual.
  std::string make_usage(const CLI::App* app, std::string name) const override {
    const std::vector<std::string> lines = usage_lines(*app);
    if (lines.empty()) return CLI::Formatter::make_usage(app, name);
    std::string text;
    for (const std::string& line : lines)
      text += (text.empty() ? "Usage: " : "       ") + line + "\n";
    return text;
  }

  // The footer of a command is that of the tool, without the last line, which says how to find a
  // command.
  std::string make_footer(const CLI::App* app) const override {
    const bool is_command = app->get_parent() != nullptr;
    std::string footer = (is_command ? app->get_parent() : app)->get_footer();
    if (is_command) footer.resize(std::min(footer.size(), footer.rfind('\n')));
    std::string text;
    std::istringstream lines(footer);
    for (std::string line; std::getline(lines, line);) text += wrapped(line, 0, 4) + "\n";
    return text;
  }

  // One empty line between groups, not two.
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    const std::string text = CLI::Formatter::make_group(group, is_positional, std::move(options));
    return group == kAdvancedOptions ? text.substr(1) : text;
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return described(
        make_option_name(option, is_positional) + (is_positional ? "" : make_option_opts(option)),
        make_option_desc(option));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return described(command->get_name(), command->get_description());
  }

  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) {
      std::string name = option->get_name(true, false);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      return name;
    }
    std::string names;
    for (const std::string& flag : describe(*option).flags)
      names += (names.empty() ? "" : ", ") + flag;
    return names;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string value = describe(*option).value;
    return value.empty() || option->get_positional() ? "" : " " + value;
  }

 private:
  std::string described(const std::string& name, const std::string& help) const {
    std::string text = "  " + name;
    if (text.size() >= column_width_)
      text += "\n" + std::string(column_width_, ' ');
    else
      text.resize(column_width_, ' ');
    return text + wrapped(help, column_width_, column_width_) + "\n";
  }
};

}  // namespace photofinish
