// One call of one task, with resolved arguments: world ranks, object ids, and buffers as bytes.
//
// The numbers of a call are optional fields (fields.def); arguments of variable count are lists.
// With one layout for all calls, the wrappers, the trace and the printer are loops over a table.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/call.h"
#include "model/ids.h"

namespace photofinish {

enum class Field : std::uint8_t {
#define FIELD(name, kind, label) name,
#include "model/fields.def"
  kCount
};
inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::kCount);
static_assert(kFieldCount <= 64, "an event's fields are one 64-bit mask");

enum class FieldKind : std::uint8_t {
  Int,
  Address,
  Rank,
  Tag,
  Comm,
  Group,
  Type,
  Op,
  Win,
  Request,
  Message,
  Assertion,
  Lock,
  ThreadLevel,
  Text
};

struct FieldTraits {
  std::string_view name;
  FieldKind kind;
  std::string_view label;
};
const FieldTraits& traits(Field field);

class FieldSet {
 public:
  void set(Field field, std::int64_t value) {
    mask_ |= bit(field);
    values_[static_cast<std::size_t>(field)] = value;
  }
  template <class Tag, class Rep>
  void set(Field field, Id<Tag, Rep> id) {
    set(field, static_cast<std::int64_t>(id.value));
  }
  bool has(Field field) const { return (mask_ & bit(field)) != 0; }
  std::int64_t operator[](Field field) const { return values_[static_cast<std::size_t>(field)]; }
  // The rank in a field; kProcNull if it is absent.
  WorldRank rank(Field field) const {
    return has(field) ? WorldRank(static_cast<std::int32_t>((*this)[field])) : kProcNull;
  }
  std::uint64_t mask() const { return mask_; }
  void clear() { mask_ = 0; }

  // Calls visit(field, value) for each field of `mask` that is set, in table order.
  template <class Visit>
  void each(std::uint64_t mask, Visit visit) const {
    for (std::uint64_t rest = mask_ & mask; rest != 0; rest &= rest - 1) {
      const int index = std::countr_zero(rest);
      visit(static_cast<Field>(index), values_[static_cast<std::size_t>(index)]);
    }
  }

 private:
  static constexpr std::uint64_t bit(Field field) {
    return std::uint64_t{1} << static_cast<int>(field);
  }
  std::uint64_t mask_ = 0;
  std::array<std::int64_t, kFieldCount> values_;  // valid for the fields in mask_
};

// How an operation accesses a buffer. Target accesses are to the target's window, at an offset in
// its displacement units, which only the owner knows.
enum class BufferUse : std::uint8_t {
  Read,
  Write,
  ReadWrite,
  TargetRead,
  TargetWrite,
  TargetUpdate
};
inline constexpr std::uint8_t kBufferUses = 6;

// Assertions of one-sided synchronization and lock types, with the same values for every MPI
// library.
enum AssertionBits : std::int64_t {
  kNoCheck = 1,
  kNoStore = 2,
  kNoPut = 4,
  kNoPrecede = 8,
  kNoSucceed = 16
};
enum LockKinds : std::int64_t { kSharedLock = 1, kExclusiveLock = 2 };

struct Buffer {
  BufferUse access{};
  // For targets: the displacement, in the target's displacement units.
  std::uint64_t address = 0;
  std::int64_t count = 0;  // elements of `type`
  TypeId type;             // null: plain bytes
  bool operator==(const Buffer&) const = default;
};

// The completion of one request by a Wait or Test.
struct Completion {
  std::uint32_t index = 0;  // position in Event::requests
  WorldRank from = kProcNull;
  std::int64_t tag = kAnyTag;
  std::int64_t bytes = -1;  // -1: not a receive
  bool cancelled = false;
  bool operator==(const Completion&) const = default;
};

struct Event {
  Call call{};
  TaskId task;
  SiteId site;
  std::uint64_t start = 0;     // nanoseconds since the rank's first event
  std::uint64_t duration = 0;  // nanoseconds
  bool returned = true;        // false: the rank ended inside the call
  std::int32_t result = 0;     // return code of MPI; 0 is MPI_SUCCESS
  FieldSet fields;
  std::vector<Buffer> buffers;
  std::vector<RequestId> requests;  // request arguments; 0 for MPI_REQUEST_NULL
  // Plain numbers. For MPI_Pready_list: its partitions. For a one-sided atomic on several elements
  // (Field::atomic is the number of the first): the operands after the first. For a call that
  // completes atomics: number and result of each fetched element, alternating.
  std::vector<std::int64_t> numbers;
  // While recording: the most numbers that the return of the call can add.
  std::size_t more_numbers = 0;
  std::vector<Completion> completions;

  void clear() {
    returned = true;
    result = 0;
    fields.clear();
    buffers.clear();
    requests.clear();
    numbers.clear();
    more_numbers = 0;
    completions.clear();
  }
};

// Whether the rank may know, when the call returns, what another rank did. Only calls that
// certainly tell it nothing are excluded.
inline bool may_learn(const Event& event) {
  const auto& [name, action, when] = traits(event.call);
  switch (action) {
    case Action::Finalize:
    case Action::SessionFinalize:
      return true;
    case Action::Wait:
    case Action::WaitAny:
    case Action::WaitSome:
    case Action::WaitAll:
      return !event.completions.empty();
    case Action::Send:
    case Action::Start:
    case Action::RequestFree:
    case Action::Cancel:
    case Action::Put:
    case Action::Get:
    case Action::Accumulate:
    case Action::Load:
    case Action::Store:
    case Action::HappensBefore:
    case Action::IntendedBegin:
    case Action::IntendedEnd:
    case Action::RegionBegin:
    case Action::RegionEnd:
    case Action::ReadClock:
    case Action::TaskRelease:
    case Action::TaskAcquire:
      return false;
    default:
      return when != When::Starts && when != When::Prepares && !is_local(action);
  }
}

}  // namespace photofinish
