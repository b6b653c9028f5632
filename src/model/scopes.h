// What a program's annotations have open: regions, and where races are intended
// (photofinish/annotate.h). Each task has its own.
//
// Rule: an access lies in the scopes that were open when it started, and one place in different
// scopes is several places: findings about them are not merged, and each tells by its key alone
// whether it is intended.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/definitions.h"
#include "model/event.h"

namespace photofinish {

// A key of a place, the same on every rank, has this bit if races there are intended.
inline constexpr std::uint64_t kIntendedSite = std::uint64_t{1} << 63;
inline bool is_intended(std::uint64_t call_site_key) {
  return (call_site_key & kIntendedSite) != 0;
}

// Of a place in no scope.
std::uint64_t call_site_key(const Definitions& definitions, SiteId site);

class Scopes {
 public:
  struct Scope {
    bool intended = false;
    TextId text;
    SiteId site;  // where it began
  };
  // Of the task of the last event that was followed.
  const std::vector<Scope>& open() const { return current_ != nullptr ? current_->open : kNone; }
  std::uint64_t key_of(std::uint64_t location) const {
    return current_ == nullptr ? location : keyed(location);
  }

  void follow(const Event& event, const Definitions& definitions);

 private:
  struct Task {
    std::vector<Scope> open;
    std::uint64_t regions = 0;  // of their names; 0: none
    bool intended = false;
  };
  static const std::vector<Scope> kNone;
  std::uint64_t keyed(std::uint64_t location) const;

  std::unordered_map<TaskId, Task> tasks_;
  const Task* current_ = nullptr;  // null while no task has a scope open
};

}  // namespace photofinish
