#include "manual/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace photofinish {
namespace {

struct Page {
  const char *command, *description, *examples;
};
constexpr Page kPages[] = {
#define PAGE(command, description, examples) {#command, description, examples},
#include "manual/pages.def"
};

// Escapes text: a dash stays a dash, and no line is a request.
std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool line_start = i == 0 || text[i - 1] == '\n';
    if (line_start && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '-')
      out += "\\-";
    else if (text[i] == '\\')
      out += "\\e";
    else if (text.compare(i, 3, "…") == 0)
      out += "...", i += 2;
    else
      out += text[i];
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string header(const CommandTree& tree, const std::string& title, const std::string& help) {
  const std::string what =
      help.empty() ? ""
                   : static_cast<char>(std::tolower(static_cast<unsigned char>(help[0]))) +
                         help.substr(1, help.size() - 1 - (help.back() == '.'));
  return fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     roff(upper(title)), tree.name, tree.version, roff(title), roff(what));
}

std::string synopsis(const std::vector<std::string>& lines) {
  std::string text = ".SH SYNOPSIS\n.nf\n";
  for (const std::string& line : lines) text += roff(line) + "\n";
  return text + ".fi\n";
}

// Advanced options come last.
std::string described(const std::vector<OptionHelp>& options) {
  std::string text, advanced;
  for (const OptionHelp& option : options)
    (option.is_advanced ? advanced : text) +=
        fmt::format(".TP\n.B {}\n{}\n", roff(flags_of(option)), roff(option.help));
  return advanced.empty() ? text : text + ".SS Advanced options\n" + advanced;
}

std::string paragraphs(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += line.empty() ? ".PP\n" : roff(line) + "\n";
  return out;
}

const std::string kEnvironment =
    ".SH ENVIRONMENT\n.TP\n.B PHOTOFINISH_OPTIONS\nOptions as name=value, separated by colons. "
    "Quote a value that contains a colon. A flag overrides it. help=1 lists all options.\n";

// The exit codes common to all commands; each command's help has its own.
std::string exit_status(const CommandTree& tree) {
  return ".SH EXIT STATUS\n" + roff(tree.notes.substr(0, tree.notes.find('\n'))) + "\n";
}

std::string see_also(const CommandTree& tree, const std::string& but) {
  std::string text = ".SH SEE ALSO\n";
  std::string names = but.empty() ? "" : ".BR " + tree.name + " (1)";
  for (const CommandHelp& command : tree.commands)
    if (command.name != but)
      names +=
          fmt::format("{}.BR {}\\-{} (1)", names.empty() ? "" : " ,\n", tree.name, command.name);
  return text + names + "\n";
}

}  // namespace

std::string man_page(const CommandTree& tree) {
  std::vector<std::string> usage;
  std::string commands = ".SH COMMANDS\n";
  for (const CommandHelp& command : tree.commands) {
    const auto lines = usage_of(tree, command);
    usage.insert(usage.end(), lines.begin(), lines.end());
    commands +=
        fmt::format(".TP\n.BR {}\\-{} (1)\n{}\n", tree.name, command.name, roff(command.help));
  }
  return header(tree, tree.name, tree.help) + synopsis(usage) + commands +
         (tree.options.empty() ? "" : ".SH OPTIONS\n" + described(tree.options)) + kEnvironment +
         exit_status(tree) + see_also(tree, "");
}

std::string man_page(const CommandTree& tree, const CommandHelp& command) {
  const auto page = std::find_if(std::begin(kPages), std::end(kPages),
                                 [&](const Page& one) { return command.name == one.command; });
  const bool found = page != std::end(kPages);
  std::string text = header(tree, tree.name + "-" + command.name, command.help) +
                     synopsis(usage_of(tree, command));
  text += ".SH DESCRIPTION\n" + (found ? paragraphs(page->description) : roff(command.help) + "\n");
  if (!command.positionals.empty()) text += ".SH ARGUMENTS\n" + described(command.positionals);
  if (!command.options.empty()) text += ".SH OPTIONS\n" + described(command.options);
  if (found) {
    text += ".SH EXAMPLES\n.nf\n";
    for (const std::string& line : lines_of(page->examples)) text += roff(line) + "\n";
    text += ".fi\n";
  }
  return text + kEnvironment + exit_status(tree) + see_also(tree, command.name);
}

}  // namespace photofinish
