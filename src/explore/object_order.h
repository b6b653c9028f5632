// The order in which shared objects serve the ranks of an explored run: words that atomic
// operations access, and locks. The tool prescribes the first part of it; the ranks log all of it,
// in a file that those on one node share.
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

// A lock that can be tested: its release has a turn, too.
enum class SharedObject : std::uint32_t { Word, Lock, TestableLock };

struct ObjectLogEntry {
  enum class Kind : std::uint16_t {
    Request,  // a rank asks for its turn
    Serve,    // it has it: its operation is complete, or it holds the lock
    Unlock,   // of a SharedObject::Lock: needs no turn
    // The call repeats the last one of its rank, which changed nothing, and has the same result,
    // since nobody changed the object: it needs no turn. One entry for any number of repetitions;
    // `value` is the ordinal of the last one.
    Repeat,
    Write,    // a store to the word is about to be made, without a turn
    Observe,  // the rank has waited for a value of the word
  };
  // Of a Request: known before. A lock that is held serves no request with Effect::Lock.
  enum class Effect : std::uint16_t { None, Change, Lock, Unlock };
  std::uint64_t line;
  std::uint64_t ordinal;       // of the call among those of its rank that may use objects
  std::uint64_t object;        // the uid of the window
  std::uint64_t displacement;  // of a word, in units of the window
  std::uint64_t value;         // of a word: after the entry
  std::uint64_t initial;       // before the first one that has values
  std::int32_t rank;
  std::int32_t target;
  Kind kind;
  Effect effect;
  SharedObject type;
  // 1 + the index of the entry without which the rank would not have come here; 0: none.
  std::uint32_t follows;
  std::uint16_t has_value;
  std::uint16_t has_initial;
};
static_assert(sizeof(ObjectLogEntry) == 72);

struct ObjectLog {
  static constexpr std::uint32_t kMost = 1 << 15;
  std::uint32_t taken;  // by the process that changes it, or operates on an object
  std::uint32_t count;
  std::uint32_t full;      // more happened than it holds
  std::uint32_t given_up;  // a rank went on without its turn
  ObjectLogEntry entries[kMost];
};

inline constexpr const char* kObjectOrderFile = "/objects";
inline constexpr const char* kObjectLogFile = "/objects.log";

// Calls that are counted by ObjectLogEntry::ordinal.
bool may_use_object(Call call);

Result<bool> write_object_orders(const std::string& directory,
                                 const std::vector<ObjectOrder>& orders);
Result<std::vector<ObjectOrder>> read_object_orders(const std::string& directory);
struct ObjectRecord {
  std::vector<ObjectLogEntry> entries;
  bool full = false;      // they are not all that happened
  bool given_up = false;  // nor do they tell the order
};
// Empty if there is none.
ObjectRecord read_object_log(const std::string& directory);

}  // namespace photofinish
