// A programming model with four calls, made up to test the layer of effects.
//
// Every rank owns one shared array, which all ranks reach by rank and offset.
//   write_to(peer, offset, bytes)   returns when the source may be used again; the peer's array
//                                   changes at any time until settle()
//   read_from(peer, offset, bytes)  returns with the data
//   settle()                        all earlier writes of the caller are done
//   meet()                          waits until all ranks call it; it does not settle writes
#pragma once

#include <cstdint>
#include <vector>

#include "model/definitions.h"
#include "model/event.h"

namespace photofinish::made_up {

enum class MadeUpCall : std::uint16_t { write_to = 1, read_from, settle, meet };
// The numbers of a front end's calls begin behind those of the program's own accesses.
inline constexpr std::uint16_t kFirstCall = 1000;
inline Call call_of(MadeUpCall call) {
  return static_cast<Call>(kFirstCall + static_cast<std::uint16_t>(call));
}

inline constexpr std::uint64_t kArray = 0x100000, kArrayBytes = 4096;

// The calls of one rank, as a recorder would write them.
class Rank {
 public:
  Rank(int rank, int size) {
    definitions.rank.rank = WorldRank(rank);
    definitions.rank.world_size = size;
  }

  void write_to(int peer, std::uint64_t offset, std::int64_t bytes) {
    remote(MadeUpCall::write_to, peer, offset, bytes);
  }
  void read_from(int peer, std::uint64_t offset, std::int64_t bytes) {
    remote(MadeUpCall::read_from, peer, offset, bytes);
  }
  void settle() { next().call = call_of(MadeUpCall::settle); }
  void meet() { next().call = call_of(MadeUpCall::meet); }
  // The program's own accesses to its array.
  void load(std::uint64_t offset, std::int64_t bytes) {
    own(Call::load, BufferUse::Read, offset, bytes);
  }
  void store(std::uint64_t offset, std::int64_t bytes) {
    own(Call::store, BufferUse::Write, offset, bytes);
  }

  Definitions definitions;
  std::vector<Event> events;

 private:
  Event& next() {
    Event& event = events.emplace_back();
    event.site = SiteId(static_cast<std::uint32_t>(events.size()));
    return event;
  }
  void remote(MadeUpCall call, int peer, std::uint64_t offset, std::int64_t bytes) {
    Event& event = next();
    event.call = call_of(call);
    event.fields.set(Field::target, peer);
    event.buffers.push_back(
        {call == MadeUpCall::write_to ? BufferUse::TargetWrite : BufferUse::TargetRead, offset,
         bytes, TypeId(0)});
  }
  void own(Call call, BufferUse use, std::uint64_t offset, std::int64_t bytes) {
    Event& event = next();
    event.call = call;
    event.buffers.push_back({use, kArray + offset, bytes, TypeId(0)});
  }
};

}  // namespace photofinish::made_up
