// What steering needs from the library that connects the ranks. MPI provides it to all front ends
// whose library runs over MPI (frontend/mpi/control_host.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "confirm/meeting_protocol.h"
#include "model/definitions.h"

namespace photofinish {

class Host {
 public:
  virtual ~Host() = default;
  // Whether this thread may call the library now.
  virtual bool may_call() const = 0;
  // Lets operations of other ranks on this rank's memory complete. Called only if it may.
  virtual void progress() = 0;
  // What this rank has defined so far. Other threads may define something meanwhile.
  virtual void read_definitions(const std::function<void(const Definitions&)>& read) const = 0;
};

// Carries the messages of ranks that share no memory (confirm/meeting_protocol.h), and the word of
// each rank. Nothing here waits but `finish`.
class MeetingChannel {
 public:
  virtual ~MeetingChannel() = default;
  virtual void send(const AddressedMessage& addressed) = 0;
  // The next that has come; false if there is none.
  virtual bool next(ControlMessage& message, std::int32_t& from) = 0;
  // One word of each rank. Those of others are as they were when `fetch` last returned true.
  virtual std::atomic<std::uint64_t>* words() = 0;
  virtual bool fetch() = 0;
  // On all ranks, before the last call.
  virtual void finish() = 0;
};

}  // namespace photofinish
