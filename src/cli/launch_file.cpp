#include "cli/launch_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "report/files.h"

namespace photofinish {
namespace {

using json = nlohmann::ordered_json;

json entry_of(const Replay& replay, const std::string& name) {
  json commands = json::array();
  for (const std::string& command :
       {std::string("-enable-pretty-printing"), "source " + replay.scratch + "/gdb"})
    commands.push_back({{"text", command}});
  return {{"name", name},
          {"type", "cppdbg"},
          {"request", "launch"},
          {"program", replay.start.program},
          {"args", std::vector<std::string>(replay.start.arguments.begin() + 1,
                                            replay.start.arguments.end())},
          {"cwd", replay.start.folder},
          {"environment", json::array()},  // in the script, which only the user can read
          {"MIMode", "gdb"},
          {"setupCommands", commands}};
}

}  // namespace

Result<bool> write_launch_file(const std::string& path, const std::string& run,
                               const std::vector<Replay>& replays) {
  json file{{"version", "0.2.0"}, {"configurations", json::array()}};
  if (std::ifstream present(path); present) {
    const std::string text{std::istreambuf_iterator<char>(present), {}};
    file = json::parse(text, nullptr, false, true);  // with comments, as users write them
    if (!file.is_object() ||
        (file.contains("configurations") && !file["configurations"].is_array()))
      return Error{fmt::format(
          "{} is not valid JSON: fix it, or name another file with --vscode=FILE", path)};
  }
  for (const Replay& replay : replays)
    if (const auto script = write_gdb_script(replay, true); !script) return script.error();
  json& entries = file["configurations"];
  if (entries.is_null()) entries = json::array();
  for (const Replay& replay : replays) {
    const std::string name = fmt::format("photofinish: rank {} of {}", replay.rank.value, run);
    json kept = json::array();
    for (json& entry : entries)
      if (!entry.is_object() || entry.value("name", "") != name) kept.push_back(std::move(entry));
    kept.push_back(entry_of(replay, name));
    entries = std::move(kept);
  }
  std::error_code ignored;
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, ignored);
  return write_file(path, [&](std::FILE* out) -> Result<bool> {
    const std::string text = file.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    if (std::fwrite(text.data(), 1, text.size(), out) == text.size()) return true;
    return Error{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  });
}

}  // namespace photofinish
