// photofinish man, photofinish completion: print the files that the package installs.
#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <csignal>
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
  for (const CommandHelp& command : tree.commands)
    written = written && write(tree.name + "-" + command.name + ".1", man_page(tree, command));
  return written
             ? kExitOk
             : fail(fmt::format(
                        "cannot write to {}: {}; give a folder that is there and can be written to",
                        folder, std::strerror(errno)),
                    kExitUsage);
}

// Through man on a terminal; as roff otherwise, or if there is no man.
int show(const std::string& page) {
  if (isatty(STDOUT_FILENO) != 0) {
    std::signal(SIGPIPE, SIG_IGN);
    if (std::FILE* const man = popen("man -l - 2>/dev/null", "w"); man != nullptr) {
      std::fwrite(page.data(), 1, page.size(), man);
      if (pclose(man) == 0) return kExitOk;
    }
  }
  fmt::print("{}", page);
  return kExitOk;
}

}  // namespace

int run_man(const ManArguments& arguments, const CommandTree& tree) {
  if (!arguments.into.empty()) return write_pages(arguments.into, tree);
  if (arguments.markdown) {
    fmt::print("{}", options_page(tree));
    return kExitOk;
  }
  const CommandHelp* const command = find_command(tree, arguments.command);
  if (!arguments.command.empty() && command == nullptr)
    return fail(fmt::format("there is no command '{}' (see photofinish --help)", arguments.command),
                kExitUsage);
  return show(command != nullptr ? man_page(tree, *command) : man_page(tree));
}

int run_completion(const std::string& shell, const CommandTree& tree) {
  fmt::print("{}", shell == "zsh"    ? zsh_completion(tree)
                   : shell == "fish" ? fish_completion(tree)
                                     : bash_completion(tree));
  return kExitOk;
}

}  // namespace photofinish
