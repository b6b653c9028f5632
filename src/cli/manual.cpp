// photofinish man, photofinish completion: what the package installs, printed.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "cli/commands.h"
#include "manual/completion.h"
#include "manual/man_page.h"
#include "manual/options_page.h"

namespace photofinish {
namespace {

int write_pages(const std::string& folder, const CommandTree& tree) {
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream file(folder + "/" + name);
    return static_cast<bool>(file << text << std::flush);
  };
  bool written = write(tree.name + ".1", man_page(tree));
  for (const CommandHelp& command : tree.commands) written = written && write(tree.name + "-" + command.name + ".1", man_page(tree, command));
  return written ? kExitOk : fail(fmt::format("cannot write to {}: {}; give a folder that is there and can be written to", folder, std::strerror(errno)));
}

}  // namespace

int run_man(const ManArguments& arguments, const CommandTree& tree) {
  if (!arguments.into.empty()) return write_pages(arguments.into, tree);
  if (arguments.markdown) {
    fmt::print("{}", options_page(tree));
    return kExitOk;
  }
  const CommandHelp* const command = find_command(tree, arguments.command);
  if (!arguments.command.empty() && command == nullptr) return fail(fmt::format("there is no command '{}' (see photofinish --help)", arguments.command), kExitUsage);
  fmt::print("{}", command != nullptr ? man_page(tree, *command) : man_page(tree));
  return kExitOk;
}

int run_completion(const std::string& shell, const CommandTree& tree) {
  fmt::print("{}", shell == "zsh" ? zsh_completion(tree) : shell == "fish" ? fish_completion(tree) : bash_completion(tree));
  return kExitOk;
}

}  // namespace photofinish
