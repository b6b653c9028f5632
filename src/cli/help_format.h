// The format of --help. CLI11's own format shows the checks of values ("N:INT in [1 - 16]") and the
// off values of switches ("{false}"), and omits positional arguments. A header for main.cpp only,
// as describe.h.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/describe.h"

namespace photofinish {

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
    return footer + "\n";
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
};

}  // namespace photofinish
