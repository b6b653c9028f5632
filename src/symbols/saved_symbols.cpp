#include "symbols/saved_symbols.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/private_file.h"

namespace photofinish {
namespace {

using nlohmann::json;

constexpr int kSymbolsVersion = 1;

json of_frame(const Frame& frame) {
  return {frame.function, frame.file,   frame.line,   frame.column,
          frame.inlined,  frame.module, frame.offset, frame.is_program};
}

Frame frame_of(const json& stored) {
  return {.function = stored.at(0),
          .file = stored.at(1),
          .line = stored.at(2),
          .column = stored.at(3),
          .inlined = stored.at(4),
          .module = stored.at(5),
          .offset = stored.at(6),
          .is_program = stored.at(7)};
}

json of_variable(const std::optional<Variable>& variable) {
  if (!variable) return nullptr;
  return {variable->name,       variable->function, variable->bytes,      variable->offset,
          variable->is_pointer, variable->is_array, variable->of_pointers};
}

std::optional<Variable> variable_of(const json& stored) {
  if (stored.is_null()) return std::nullopt;
  return Variable{.name = stored.at(0),
                  .function = stored.at(1),
                  .bytes = stored.at(2),
                  .offset = stored.at(3),
                  .is_pointer = stored.at(4),
                  .is_array = stored.at(5),
                  .of_pointers = stored.at(6)};
}

json of_places(const std::map<SavedSymbols::Place, std::optional<Variable>>& variables) {
  json all = json::array();
  for (const auto& [place, variable] : variables)
    all.push_back(
        {std::get<0>(place), std::get<1>(place), std::get<2>(place), of_variable(variable)});
  return all;
}

std::map<SavedSymbols::Place, std::optional<Variable>> places_of(const json& stored) {
  std::map<SavedSymbols::Place, std::optional<Variable>> variables;
  for (const json& one : stored)
    variables[{one.at(0), one.at(1), one.at(2)}] = variable_of(one.at(3));
  return variables;
}

std::optional<std::optional<Variable>> found(
    const std::map<SavedSymbols::Place, std::optional<Variable>>& variables,
    const SavedSymbols::Place& place) {
  const auto at = variables.find(place);
  if (at == variables.end()) return std::nullopt;
  return std::optional<std::optional<Variable>>(std::in_place, at->second);
}

}  // namespace

SavedSymbols::SavedSymbols(std::string path) : path_(std::move(path)) { read(); }

void SavedSymbols::read() {
  std::ifstream file(path_);
  if (!file) return;
  const json stored = json::parse(file, nullptr, false);
  try {
    if (stored.at("version") != kSymbolsVersion) return;
    decltype(frames_) frames;
    for (const json& one : stored.at("frames")) {
      std::vector<Frame>& stack = frames[{one.at(0), one.at(1), one.at(2), one.at(3)}];
      for (const json& frame : one.at(4)) stack.push_back(frame_of(frame));
      if (stack.empty()) return;
    }
    auto variables = places_of(stored.at("variables")), locals = places_of(stored.at("locals"));
    decltype(lines_) lines;
    for (const json& one : stored.at("lines"))
      lines[one.at(0).get<std::string>()][one.at(1).get<int>()] = one.at(2);
    remarks_ = stored.at("remarks").get<decltype(remarks_)>();
    frames_ = std::move(frames);
    variables_ = std::move(variables);
    locals_ = std::move(locals);
    lines_ = std::move(lines);
  } catch (const json::exception&) {  // damaged: everything is resolved again
  }
}

void SavedSymbols::write() const {
  if (!changed_) return;
  json frames = json::array(), lines = json::array();
  for (const auto& [site, stack] : frames_) {
    json all = json::array();
    for (const Frame& frame : stack) all.push_back(of_frame(frame));
    frames.push_back({std::get<0>(site), std::get<1>(site), std::get<2>(site), std::get<3>(site),
                      std::move(all)});
  }
  for (const auto& [file, numbered] : lines_)
    for (const auto& [number, line] : numbered) lines.push_back({file, number, line});
  const json stored{{"version", kSymbolsVersion},         {"frames", std::move(frames)},
                    {"variables", of_places(variables_)}, {"locals", of_places(locals_)},
                    {"lines", std::move(lines)},          {"remarks", remarks_}};
  // Two reports of one run may be written at once.
  const std::string unfinished = path_ + "." + std::to_string(getpid());
  const int descriptor = create_private(unfinished, O_WRONLY);
  std::FILE* file = descriptor >= 0 ? fdopen(descriptor, "w") : nullptr;
  if (file == nullptr) return;
  // Source lines need not be UTF-8.
  const std::string text = stored.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  written = std::fclose(file) == 0 && written;
  if (!written || std::rename(unfinished.c_str(), path_.c_str()) != 0) unlink(unfinished.c_str());
}

const std::vector<Frame>* SavedSymbols::frames(const Site& site) const {
  const auto at = frames_.find(site);
  return at == frames_.end() ? nullptr : &at->second;
}

void SavedSymbols::add_frames(const Site& site, const std::vector<Frame>& frames) {
  if (std::all_of(frames.begin(), frames.end(),
                  [](const Frame& frame) { return frame.function.empty() && frame.file.empty(); }))
    return;
  frames_[site] = frames;
  changed_ = true;
}

std::optional<std::optional<Variable>> SavedSymbols::variable(const Place& place) const {
  return found(variables_, place);
}

void SavedSymbols::add_variable(const Place& place, const std::optional<Variable>& variable) {
  variables_[place] = variable;
  changed_ = true;
}

std::optional<std::optional<Variable>> SavedSymbols::local(const Place& place) const {
  return found(locals_, place);
}

void SavedSymbols::add_local(const Place& place, const std::optional<Variable>& variable) {
  locals_[place] = variable;
  changed_ = true;
}

const std::string* SavedSymbols::remark(const std::string& name) const {
  const auto at = remarks_.find(name);
  return at == remarks_.end() ? nullptr : &at->second;
}

void SavedSymbols::add_remark(const std::string& name, const std::string& text) {
  changed_ |= remarks_.try_emplace(name, text).second;
}

std::vector<std::string> SavedSymbols::lines(const std::string& file, int first,
                                             std::size_t count) const {
  std::vector<std::string> all;
  const auto numbered = lines_.find(file);
  if (numbered == lines_.end()) return all;
  for (auto line = numbered->second.find(first);
       line != numbered->second.end() && all.size() < count &&
       line->first == first + static_cast<int>(all.size());
       ++line)
    all.push_back(line->second);
  return all;
}

void SavedSymbols::add_lines(const std::string& file, int first,
                             const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const auto [at, added] = lines_[file].try_emplace(first++, line);
    changed_ |= added;
  }
}

}  // namespace photofinish
