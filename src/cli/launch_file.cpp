#include "cli/launch_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace photofinish {
namespace {

using json = nlohmann::ordered_json;

json entry_of(const Replay& replay, const std::string& name) {
  json environment = json::array();
  std::vector<std::string> variables = environment_of(replay);
  variables.push_back("PHOTOFINISH_REPLAY_STOPS=1");
  for (const std::string& variable : variables) {
    const std::size_t equals = variable.find('=');
    environment.push_back(
        {{"name", variable.substr(0, equals)}, {"value", variable.substr(equals + 1)}});
  }
  json commands = json::array();
  for (const char* command : {"-enable-pretty-printing", "set startup-with-shell off",
                              "set disable-randomization on", "handle SIGTRAP nopass"})
    commands.push_back({{"text", command}});
  return {{"name", name},
          {"type", "cppdbg"},
          {"request", "launch"},
          {"program", replay.start.program},
          {"args", std::vector<std::string>(replay.start.arguments.begin() + 1,
                                            replay.start.arguments.end())},
          {"cwd", replay.start.folder},
          {"environment", environment},
          {"MIMode", "gdb"},
          {"setupCommands", commands}};
}

}  // namespace

Result<bool> write_launch_file(const std::string& path, const std::string& run,
                               const std::vector<Replay>& replays) {
  json file{{"version", "0.2.0"}, {"configurations", json::array()}};
  if (std::ifstream present(path); present) {
    const std::string text{std::istreambuf_iterator<char>(present), {}};
    file = json::parse(text, nullptr, false, true);  // people write comments there
    if (!file.is_object() ||
        (file.contains("configurations") && !file["configurations"].is_array()))
      return Error{fmt::format(
          "{} is there and cannot be read as JSON: name another file, or mend it", path)};
  }
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
  std::ofstream out(path);
  out << file.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  if (!out.flush()) return Error{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  return true;
}

}  // namespace photofinish
