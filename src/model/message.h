// The two ends of a message, and the message steps of a rank (docs/internals/message-races.md).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/access.h"
#include "model/ids.h"

namespace photofinish {

// When a send may complete: Standard, at any time; Synchronous, once it is matched; Buffered, at
// once; Ready, as Standard, and its receive must be posted.
enum class SendMode : std::uint8_t { Standard, Synchronous, Buffered, Ready };

// What takes or sees a message. A cancelled receive took none.
enum class Taker : std::uint8_t { Receive, Probe, Cancelled };

// A send or receive of a rank.
struct MessageEnd {
  WorldRank rank;
  Timestamp timestamp = 0;
  SiteId site;
  std::uint64_t site_key = 0;  // identifies the site on every rank
  std::int64_t tag = kAnyTag;  // of a receive: the wanted one
  bool operator==(const MessageEnd&) const = default;
};

// The source and tag that a receive or probe accepts.
struct Wanted {
  WorldRank source = kAnySource;
  std::int64_t tag = kAnyTag;
  std::int64_t refused = kAnyTag;  // a tag that it does not accept; kAnyTag: none
  bool takes(WorldRank from, std::int64_t its_tag) const {
    return (source == kAnySource || source == from) && (tag == kAnyTag || tag == its_tag) &&
           (refused == kAnyTag || refused != its_tag);
  }
  bool operator==(const Wanted&) const = default;
};

// Both ends of a message compute the same key (order/keys.h). 0: none, or not known yet.
using MessageKey = std::uint64_t;

struct MessageStep {
  enum class Kind : std::uint8_t {
    Send,          // posted: operation, mode, comm, peer, tag, key; also complete if `at_once`
    Receive,       // posted: operation, comm, peer, tag; key, if known; also complete if `at_once`
    Cancel,        // of a receive, or (`carries` is false) a send, that was cancelled: operation
    CompleteSend,  // operation
    CompleteReceive,  // operation
    Free,             // of a send that is never waited for: operation
    Probe,            // that saw a message: operation, comm, peer, tag; key, if known
    // Of another kind (collectives, one-sided synchronization): key, acquired by `others` ranks.
    Release,
    Acquire,  // key, released by all ranks in `from`
    // A window lock is about to be released: comm (the window), peer (the target; kAnySource: all),
    // exclusive, operation (time in ticks), tag (id of the clock).
    Unlock,
    Locked,  // a lock is certainly held from here on: the same
    // At the end of the run, an epoch with this lock is open: comm, peer, exclusive; `returned`:
    // the lock is certainly held.
    Holds,
    // At the end of the run, a call waits for this lock: comm, peer, exclusive; `asked`: it may be
    // waiting for something else.
    AwaitLock,
  };
  Kind kind{};
  SendMode mode = SendMode::Standard;
  bool carries = true;     // Release, Acquire: false if ranks wait but no data flows
  bool returned = true;    // false if the call did not return
  bool exclusive = false;  // Unlock, Locked
  // Send, Receive: of a blocking call; later steps follow its completion.
  bool at_once = false;
  // Complete…, Probe, Acquire: by a polling call (MPI_Test, MPI_Waitany of several), which would
  // have returned anyway.
  bool asked = false;
  std::uint32_t others = 0;
  std::uint64_t operation = 0;  // its number at the rank
  Uid comm;
  WorldRank peer;
  std::int64_t tag = kAnyTag;
  std::int64_t refused = kAnyTag;  // Receive: Wanted::refused
  MessageKey key = 0;
  Timestamp timestamp = 0;
  SiteId site;
  std::uint64_t site_key = 0;
  std::shared_ptr<const std::vector<WorldRank>> from;
};

}  // namespace photofinish
