// How ranks on different nodes meet at the access sites of a race: by messages
// (docs/internals/confirm.md).
//
// Each rank has a table with its own entries. A task that reaches a site asks the ranks that may be
// at the other one. An asked rank checks its table; if an entry matches, the two have met: it
// stores the meeting and answers, and the asking rank stores it, too, if its task is still at the
// site. Invariant: a rank stores a meeting only while its own task is at its site. So a meeting
// that both have stored took place, and no other counts: a late or lost message creates none. If
// two ranks ask each other at the same time, the lower one is answered first. A task that leaves
// withdraws its question: a rank that has been waiting inside MPI would answer it too late, and
// miss the pending operation that the task has left in its table. Assumes that messages between two
// ranks arrive in order. Steers one instance of a race, not all.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "confirm/rendezvous_table.h"

namespace photofinish {

enum class ControlMessageKind : std::uint32_t {
  Ask,       // I am at a site; is a task at the other one?
  Withdraw,  // I no longer am, and have no answer
  NotHere,
  Met,   // yes, with who goes first
  Gone,  // too late: the asking task has left
  Done,  // the first access is complete
  Over,  // other ranks met
};

struct ControlMessage {
  ControlMessageKind kind;
  std::uint32_t reserved;
  std::uint64_t ask;  // number of the question at its sender
  Meeting meeting;
  TableEntry entry;  // of an Ask alone
};

struct AddressedMessage {
  std::int32_t to;
  ControlMessage message;
};

struct ReceivedMessage {
  std::int32_t from;
  ControlMessage message;
};

class MeetingProtocol {
 public:
  // `others`: ranks that may be at the other site.
  MeetingProtocol(std::int32_t rank, std::vector<std::int32_t> others, std::uint32_t first_side)
      : rank_(rank), first_side_(first_side), others_(std::move(others)) {}

  // A task is at a site, until `forget`.
  std::uint64_t ask(const TableEntry& mine, std::vector<AddressedMessage>& out);
  bool is_answered(std::uint64_t ask) const;
  void forget(RendezvousTable& table, std::uint64_t ask, std::vector<AddressedMessage>& out);

  // Drops questions whose withdrawal has arrived, too.
  static void drop_withdrawn(std::vector<ReceivedMessage>& arrived);
  void receive(RendezvousTable& table, std::int32_t from, const ControlMessage& message,
               std::vector<AddressedMessage>& out);
  // The message of the first party when its access is complete.
  static AddressedMessage done(const Meeting& meeting) {
    return {meeting.second.rank,
            {.kind = ControlMessageKind::Done,
             .reserved = 0,
             .ask = 0,
             .meeting = meeting,
             .entry = {}}};
  }

 private:
  bool awaits(std::int32_t from) const;
  void answer(RendezvousTable& table, std::int32_t from, const ControlMessage& message,
              std::vector<AddressedMessage>& out);
  void keep(RendezvousTable& table, std::int32_t from, const ControlMessage& message,
            std::vector<AddressedMessage>& out);
  void answer_waiting(RendezvousTable& table, std::vector<AddressedMessage>& out);
  bool is_ours(const Meeting& meeting, std::int32_t other) const;

  const std::int32_t rank_;
  const std::uint32_t first_side_;
  const std::vector<std::int32_t> others_;
  std::map<std::uint64_t, std::set<std::int32_t>> asks_;          // and who has not answered
  std::vector<std::pair<std::int32_t, ControlMessage>> waiting_;  // asks that come after ours
  std::uint64_t next_ask_ = 1;
};

}  // namespace photofinish
