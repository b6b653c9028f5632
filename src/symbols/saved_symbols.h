// What the report of a run resolved: the frames of its call sites, its variables and its source
// lines. They are stored in the run directory, because the usual next step is to edit and rebuild
// the program, and the debug information of the build that ran is then gone.
//
// Rule: what was resolved from the build that ran stays valid. So a stored result is preferred to
// the files. Unresolved frames are not stored: debug information may be installed later.
// Limit: a site that no report has shown before the rebuild is not stored.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "symbols/frame.h"

namespace photofinish {

class SavedSymbols {
 public:
  // Module, address, whether it is a return address, build id.
  using Site = std::tuple<std::string, std::uint64_t, bool, std::string>;
  // Module, address, and the name of a local variable or the build id.
  using Place = std::tuple<std::string, std::uint64_t, std::string>;

  // Reads the file. A missing or damaged one counts as empty.
  explicit SavedSymbols(std::string path);
  // Writes the file if something was added. A run that cannot be changed stays as it is.
  void write() const;

  const std::vector<Frame>* frames(const Site& site) const;
  void add_frames(const Site& site, const std::vector<Frame>& frames);
  // The outer optional: whether it is stored.
  std::optional<std::optional<Variable>> variable(const Place& place) const;
  void add_variable(const Place& place, const std::optional<Variable>& variable);
  std::optional<std::optional<Variable>> local(const Place& place) const;
  void add_local(const Place& place, const std::optional<Variable>& variable);
  // What else a report says about the build that ran, by name; null: nothing is stored.
  const std::string* remark(const std::string& name) const;
  void add_remark(const std::string& name, const std::string& text);
  // At most `count` lines from `first` on, as far as they are stored.
  std::vector<std::string> lines(const std::string& file, int first, std::size_t count) const;
  void add_lines(const std::string& file, int first, const std::vector<std::string>& lines);

 private:
  void read();

  std::string path_;
  bool changed_ = false;
  std::map<Site, std::vector<Frame>> frames_;
  std::map<Place, std::optional<Variable>> variables_, locals_;
  std::map<std::string, std::map<int, std::string>> lines_;  // by file
  std::map<std::string, std::string> remarks_;
};

}  // namespace photofinish
