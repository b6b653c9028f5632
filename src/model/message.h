// The two ends of a message, and what one rank does about messages, step by step
// (docs/internals/message-races.md).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/access.h"
#include "model/ids.h"

namespace photofinish {

// When a send may be over: Standard, when the library likes; Synchronous, once it is matched;
// Buffered, at once; Ready, as Standard, and its receive must be there.
enum class SendMode : std::uint8_t { Standard, Synchronous, Buffered, Ready };

// What takes a message, or looks at it. A cancelled receive took none.
enum class Taker : std::uint8_t { Receive, Probe, Cancelled };

// Where a rank sent or received.
struct MessageEnd {
  WorldRank rank;
  Timestamp timestamp = 0;
  SiteId site;
  std::uint64_t site_key = 0;  // the same place on every rank
  std::int64_t tag = kAnyTag;  // of a receive: the one it asked for
  bool operator==(const MessageEnd&) const = default;
};

// What a receive or probe asks for.
struct Wanted {
  WorldRank source = kAnySource;
  std::int64_t tag = kAnyTag;
  bool takes(WorldRank from, std::int64_t its_tag) const {
    return (source == kAnySource || source == from) && (tag == kAnyTag || tag == its_tag);
  }
  bool operator==(const Wanted&) const = default;
};

// Both ends of a message work out the same key (order/keys.h). 0: none, or not known yet.
using MessageKey = std::uint64_t;

struct MessageStep {
  enum class Kind : std::uint8_t {
    Send,     // posted: operation, mode, comm, peer, tag, key; complete, if it is `at_once`
    Receive,  // posted: operation, comm, peer, tag; key, if it is known already; complete, if it is
              // `at_once`
    Cancel,   // of a receive, or (`carries` is false) a send, that turned out to be cancelled:
              // operation
    CompleteSend,     // operation
    CompleteReceive,  // operation
    Free,             // of a send whose completion nobody waits for: operation
    Probe,            // that saw a message: operation, comm, peer, tag; key, if it is known already
    Release,  // order of other kinds (collectives, one-sided synchronization): key, heard by
              // `others` of them
    Acquire,  // key, said by all of `from`
    Unlock,  // a lock of a window is about to be given back: comm (the window), peer (whose memory;
             // kAnySource: everybody's), exclusive, operation (when, in ticks), tag (of which
             // clock)
    Locked,  // a lock is held for certain, from here on: the same
    Holds,   // at the end of the run, an epoch with this lock is open: comm, peer, exclusive;
             // `returned`: the lock is held for certain
    AwaitLock,  // at the end of the run, a call waits for this lock: comm, peer, exclusive;
                // `asked`: it may be waiting for something else
  };
  Kind kind{};
  SendMode mode = SendMode::Standard;
  bool carries = true;     // Say, Hear: false if they wait for each other and no data flows
  bool returned = true;    // false if the rank was inside this call at the end of the run
  bool exclusive = false;  // Unlock, Locked
  bool at_once =
      false;  // Send, Receive: by a call that waits; what follows comes after its completion
  bool asked = false;  // Complete…, Probe, Hear: by a call that would have come back with something
                       // else, too (MPI_Test, MPI_Waitany of several)
  std::uint32_t others = 0;
  std::uint64_t operation = 0;  // the rank's number for it
  Uid comm;
  WorldRank peer;
  std::int64_t tag = kAnyTag;
  MessageKey key = 0;
  Timestamp timestamp = 0;
  SiteId site;
  std::uint64_t site_key = 0;
  std::shared_ptr<const std::vector<WorldRank>> from;
};

}  // namespace photofinish
