// What the ranks of a recorded group give each other is not kept: they give it to each other again
// when they are replayed.
//
// A rank offers what it is about to send or put, and what its journal had to keep and others may be
// given as well. Each offer has a number, and its hash goes to a table that the ranks of a machine
// share while they are recorded. Whoever is given contents that are in the table keeps only whose
// offer it was. Contents are compared, not calls: whatever became of them on the way (a send buffer
// that was changed too early, a put that another one overwrote, a library that does its own thing),
// what was offered is what arrived, or it is kept.
//
// Replayed ranks make the same offers in the same order. Those that somebody took are written to
// files, where he finds them, or waits for them. He cannot wait in a circle: in the recorded run
// each offer was there before it was taken.
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
  std::uint64_t number = 0;  // counts from 1
  std::uint16_t check =
      0;  // of its contents: a giver that reads another file, say, gives something else
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

// A put that is on its way to a window.
struct Arrival {
  Uid win;
  std::uint64_t displacement = 0, bytes = 0;
  ContentHash hash{};
};

inline constexpr std::size_t kPayloadFrom = 64;  // bytes: less is kept as it is
inline constexpr std::size_t kKeptPayloadFrom =
    1024;  // the same for what is kept, and others may be given as well

inline constexpr TaskId kTakenJournal{
    0xfffffffe};  // where a recorded rank says whose offers it took

// Of a recorded rank.
class PayloadTable {
 public:
  // One rank of a machine creates it, under a new name that nobody can guess; the others open it by
  // that name. Null where there is no shared memory, or where it is not this user's alone.
  static std::unique_ptr<PayloadTable> create(std::string& name,
                                              const std::vector<WorldRank>& group, WorldRank self);
  static std::unique_ptr<PayloadTable> open(const std::string& name,
                                            const std::vector<WorldRank>& group, WorldRank self);
  // Once all have opened it.
  static void remove_name(const std::string& name);
  ~PayloadTable();
  void write_to(Lane* taken) { taken_ = taken; }

  std::uint64_t next_number() { return ++payloads_; }
  void publish(const ContentHash& hash, std::uint64_t number);
  // Whose offer this is; on record from here on.
  std::optional<SharedPayload> take(const ContentHash& hash);

  void announce(WorldRank target, const Arrival& arrival);
  // Those to this rank since the last time, as far as there was room for them.
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

// Whose offers a recorded rank took.
std::map<WorldRank, std::vector<std::uint64_t>> read_taken(RankTrace& trace);

// Of replayed ranks, and of who starts them.
class PayloadFiles {
 public:
  // `wanted`: numbers, of each rank whose offers were taken.
  static Result<bool> make(const std::string& path,
                           const std::map<WorldRank, std::vector<std::uint64_t>>& wanted);
  static Result<std::unique_ptr<PayloadFiles>> open(const std::string& path, WorldRank self);
  ~PayloadFiles();

  void payload(const void* data, std::size_t bytes);
  // Waits for it. False: it will not come, for that rank has ended, or could not write it.
  bool take(SharedPayload payload, void* data, std::size_t bytes);
  void has_ended(WorldRank rank);
  // Whether all that is wanted is there.
  bool is_complete() const;

 private:
  struct Giver;
  struct Slot;
  PayloadFiles() = default;
  std::string contents_of(WorldRank rank) const { return path_ + "-" + std::to_string(rank.value); }
  Giver* giver(WorldRank rank) const;
  Slot* slots_of(const Giver& giver) const;

  std::string path_;
  WorldRank self_;
  char* shared_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t payloads_ = 0;
  std::uint64_t next_wanted_ = 0;
};

}  // namespace photofinish
