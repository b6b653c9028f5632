// Shared payloads: messages inside the recorded group are not stored, but produced again on replay.
//
// A rank publishes what it is about to send or put, and what its journal stores and other ranks may
// receive as well. Each payload has a number. Its hash goes to a table that the recorded ranks of a
// machine share. A rank that receives contents in the table stores only the sender and the number.
// Contents are compared, not calls. So what arrived is a published payload, or it is stored, even
// if a send buffer was modified too early or a put was overwritten.
//
// Replayed ranks publish the same payloads in the same order. Those that a receiver needs are
// written to files; the receiver waits for them there. The wait cannot be circular: in the recorded
// run each payload was published before it was received.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace photofinish {

struct SharedPayload {
  WorldRank from;
  std::uint64_t number = 0;  // numbered from 1
  // Checksum of the contents. It detects a replayed sender that produces other bytes, for example
  // because a file changed.
  std::uint16_t check = 0;
};

template <class A>
void describe(A& a, SharedPayload& d) {
  a(d.from, d.number, d.check);
}

using ContentHash = std::array<std::uint64_t, 2>;
ContentHash content_hash(const void* data, std::size_t bytes);
inline std::uint16_t check_of(const ContentHash& hash) {
  return static_cast<std::uint16_t>(hash[1] >> 48);
}

// A pending put to a window.
struct Arrival {
  Uid win;
  std::uint64_t displacement = 0, bytes = 0;
  ContentHash hash{};
};

inline constexpr std::size_t kPayloadFrom = 64;  // bytes: smaller ones are stored as they are
// The same for stored contents that others may receive as well.
inline constexpr std::size_t kKeptPayloadFrom = 1024;

// The lane in which a recorded rank lists the payloads that it received.
inline constexpr TaskId kTakenJournal{0xfffffffe};

// For a recorded rank.
class PayloadTable {
 public:
  // One rank per machine creates the table, under a new name that cannot be guessed; the others
  // open it by name. Null if there is no shared memory, or if other users can access it.
  static std::unique_ptr<PayloadTable> create(std::string& name,
                                              const std::vector<WorldRank>& group, WorldRank self);
  static std::unique_ptr<PayloadTable> open(const std::string& name,
                                            const std::vector<WorldRank>& group, WorldRank self);
  // Call after all ranks have opened it.
  static void remove_name(const std::string& name);
  ~PayloadTable();
  void write_to(Lane* taken) { taken_ = taken; }

  std::uint64_t next_number() { return ++payloads_; }
  void publish(const ContentHash& hash, std::uint64_t number);
  // The payload with this hash. Records that this rank received it.
  std::optional<SharedPayload> take(const ContentHash& hash);

  void announce(WorldRank target, const Arrival& arrival);
  // Puts to this rank since the last call. Some are missing if there were too many.
  void new_arrivals(std::vector<Arrival>& arrivals);

 private:
  struct Shared;
  PayloadTable() = default;
  static std::unique_ptr<PayloadTable> map(int file, const std::vector<WorldRank>& group,
                                           WorldRank self);

  Shared* shared_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<WorldRank> group_;
  WorldRank self_;
  std::uint64_t payloads_ = 0;
  std::uint64_t arrivals_seen_ = 0;
  Lane* taken_ = nullptr;
};

// The payloads that a recorded rank received.
std::map<WorldRank, std::vector<std::uint64_t>> read_taken(RankTrace& trace);

// For replayed ranks, and for the process that starts them.
class PayloadFiles {
 public:
  // `wanted`: by sender, the numbers of the needed payloads.
  static Result<bool> make(const std::string& path,
                           const std::map<WorldRank, std::vector<std::uint64_t>>& wanted);
  static Result<std::unique_ptr<PayloadFiles>> open(const std::string& path, WorldRank self);
  ~PayloadFiles();

  void payload(const void* data, std::size_t bytes);
  // Waits for it. False: it will not arrive, since that rank has ended or could not write it.
  bool take(SharedPayload payload, void* data, std::size_t bytes);
  void has_ended(WorldRank rank);
  // Whether all needed payloads are there.
  bool is_complete() const;

 private:
  struct Sender;
  struct Slot;
  PayloadFiles() = default;
  std::string contents_of(WorldRank rank) const { return path_ + "-" + std::to_string(rank.value); }
  Sender* sender(WorldRank rank) const;
  Slot* slots_of(const Sender& sender) const;

  std::string path_;
  WorldRank self_;
  char* shared_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t payloads_ = 0;
  std::uint64_t next_wanted_ = 0;
};

}  // namespace photofinish
