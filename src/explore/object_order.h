// The order in which shared objects serve the ranks of an explored run: atomic operations on a
// location of window memory, and exclusive window locks. The tool prescribes the first part of it;
// the ranks log all of it, in a file that those on one node share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/call.h"

namespace photofinish {

struct ObjectOrder {
  std::uint64_t line = 0;
  std::vector<std::int32_t> ranks;  // negative: any
};

struct ObjectLogEntry {
  enum class Kind : std::uint32_t {
    Request,  // a rank asks for its turn
    Serve,    // it has it: its operation is complete, or it holds the lock
    Unlock,
  };
  std::uint64_t line;
  std::uint64_t ordinal;       // of the call among those of its rank that may use objects
  std::uint64_t displacement;  // of an operation, in units of the window
  std::int32_t rank;
  std::int32_t target;
  Kind kind;
  std::uint32_t is_lock;
};
static_assert(sizeof(ObjectLogEntry) == 40);

struct ObjectLog {
  static constexpr std::uint32_t kMost = 1 << 15;
  std::uint32_t taken;  // by the process that changes it, or operates on an object
  std::uint32_t count;
  std::uint32_t full;  // more happened than it holds
  std::uint32_t unused;
  ObjectLogEntry entries[kMost];
};

inline constexpr const char* kObjectOrderFile = "/objects";
inline constexpr const char* kObjectLogFile = "/objects.log";

// Calls that are counted by ObjectLogEntry::ordinal.
bool may_use_object(Action action);

Result<bool> write_object_orders(const std::string& directory,
                                 const std::vector<ObjectOrder>& orders);
Result<std::vector<ObjectOrder>> read_object_orders(const std::string& directory);
// Empty if there is none. `full`: it does not hold all that happened.
std::vector<ObjectLogEntry> read_object_log(const std::string& directory, bool& full);

}  // namespace photofinish
