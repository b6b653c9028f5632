// The open scopes of a program's annotations: regions, and intended races (photofinish/annotate.h).
// Each task has its own.
//
// Rule: an access lies in the scopes that were open when it started. One call site in different
// scopes has different keys. So findings in different scopes are not merged, and the key alone
// shows whether a race is intended.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/definitions.h"
#include "model/event.h"

namespace photofinish {

// Set in the key of a call site if races there are intended.
inline constexpr std::uint64_t kIntendedSite = std::uint64_t{1} << 63;
inline bool is_intended(std::uint64_t call_site_key) {
  return (call_site_key & kIntendedSite) != 0;
}

// The key of a call site outside of any scope, equal on every rank.
std::uint64_t call_site_key(const Definitions& definitions, SiteId site);

class Scopes {
 public:
  struct Scope {
    bool intended = false;
    TextId text;
    SiteId site;  // where it began
  };
  // Of the task of the last event passed to follow().
  const std::vector<Scope>& open() const { return current_ != nullptr ? current_->open : kNone; }
  std::uint64_t key_of(std::uint64_t location) const {
    return current_ == nullptr ? location : keyed(location);
  }

  void follow(const Event& event, const Definitions& definitions);

 private:
  struct Task {
    std::vector<Scope> open;
    std::uint64_t regions = 0;  // hash of their names; 0: none
    bool intended = false;
  };
  static const std::vector<Scope> kNone;
  std::uint64_t keyed(std::uint64_t location) const;

  std::unordered_map<TaskId, Task> tasks_;
  const Task* current_ = nullptr;  // null while no task has an open scope
};

}  // namespace photofinish
