// Memory of a rank that others may write: what has changed in it is an answer, too. A recorded rank
// keeps a copy of what it has seen of it; the memory of a replayed one is that copy.
//
// A program that was built with the pass tells what each of its loads found, and what its stores
// put there: only what it found and had not seen is kept (paper 5, Algorithm 1), and it is what the
// program used, not what was there a moment before. What has changed next to it is kept along with
// it, for it is mostly loaded next: what a load finds there later is compared with that, as ever.
// Of any other program all that has changed is kept whenever a call may have waited for others.
// What it stored itself is kept along with it: nobody tells us. Given back, that changes nothing;
// but it costs a comparison of all of it for each such call, and what is loaded between two calls
// is not seen.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "record/journal.h"

namespace photofinish {

struct WatchedChange {
  std::uint64_t offset = 0, bytes = 0;
};

class WatchedMemory {
 public:
  // A put is on its way there: once all of it has come, it is whose offer it was that is kept
  // (record/shared_payloads.h).
  void expect(const void* address, std::size_t bytes, const ContentHash& hash);
  // Called before what has changed is looked for: so that it may be expected.
  void ask_for_arrivals(std::function<void()> ask) { ask_ = std::move(ask); }

  // What is there now is given back, too: fresh memory of MPI's may hold anything.
  void add(Journal& journal, std::uint64_t key, void* memory, std::size_t bytes);
  void remove(std::uint64_t key);
  bool empty() const { return pieces_.empty(); }

  void exchange_changes(Journal& journal);

  // Whether a load that found this found what has been seen there. (No for an answer may also mean:
  // look closer.)
  bool is_known(const void* address, const void* value, std::size_t bytes) const {
    if (last_ >= pieces_.size() || !pending_.empty()) return false;
    const Piece& piece = pieces_[last_];
    const auto offset =
        static_cast<std::size_t>(static_cast<const std::uint8_t*>(address) - piece.memory);
    if (offset >= piece.seen.size() || bytes > piece.seen.size() - offset) return false;
    const std::uint8_t* seen = piece.seen.data() + offset;
    if (bytes == 8) return std::memcmp(seen, value, 8) == 0;
    if (bytes == 4) return std::memcmp(seen, value, 4) == 0;
    return std::memcmp(seen, value, bytes) == 0;
  }
  // A load found this, or is about to find what is there (value is address); a store put it there,
  // or is about to. When a value was found that had not been seen; nothing for the others.
  std::optional<std::uint64_t> loaded(Journal& journal, const void* address, void* value,
                                      std::size_t bytes);
  // What is there is about to be loaded, all of it from what has been seen.
  void look_ahead(Journal& journal, const void* address, std::size_t bytes);
  // The same as a part of the entry at hand, of any memory: where to find what has been seen of it.
  const std::uint8_t* check_within(Journal& journal, const std::uint8_t* address,
                                   std::size_t bytes);
  // Where that lies, behind the memory; zero of a replayed rank, whose memory it is. `any`: this is
  // memory of some window. Nothing if it is not all of one, or of several.
  std::optional<std::int64_t> distance_of(const void* address, std::size_t bytes, bool& any);
  // Of a rank that tells news: as `loaded`.
  std::optional<std::uint64_t> news_of(const void* address, std::size_t bytes);
  void stored(const void* address, const void* value, std::size_t bytes);
  void will_store(const void* address, std::size_t bytes);
  // What was about to be stored has been.
  void settle();
  // What has been seen where a load or store was: accesses that begin in these bytes, on one page,
  // may be compared with it, and made there, without us. None: no bytes.
  struct Seen {
    std::uint64_t begin = 0, bytes = 0;
    std::int64_t distance = 0;
    const std::uint8_t* checked = nullptr;
  };
  Seen seen_at(const void* address);
  // The same for the whole window around it; of a replayed rank as well. From here on each of its
  // blocks is looked at before anything is loaded from there: `looked` says which were, or, if each
  // load is to be told, that none was.
  Seen all_around(const void* address, bool each_load);
  void check_at(Journal& journal, const void* address);

  // Of a replayed rank: from now on `loaded` says it of each value when it is looked at for the
  // first time, not of those that were merely given back.
  void report_news() { reports_news_ = true; }
  // The program has them from elsewhere.
  void overwritten(const void* address, std::size_t bytes);

 private:
  struct Piece {
    std::uint64_t key = 0;
    std::uint8_t* memory = nullptr;
    std::size_t bytes = 0;
    std::vector<std::uint8_t> seen;  // of a recorded rank
    bool alone = true;               // no other has any of its bytes
    std::vector<bool> news;  // of one that tells them, for each byte: it has not been looked at
    std::vector<std::uint64_t> ticks;                // and of each block: when it was kept
    std::vector<std::uint8_t> checked = {};          // of each block: by the loop at hand
    std::vector<std::uint32_t> checked_blocks = {};  // those of which that says so
    std::vector<std::uint8_t> never_checked = {};
  };
  struct Range {
    const std::uint8_t* address;
    std::size_t bytes;
  };
  Piece* find(const std::uint8_t* address, std::size_t bytes);
  void find_overlaps();
  void saw(const std::uint8_t* address, const std::uint8_t* value, std::size_t bytes);
  void exchange(Journal& journal, Piece& piece, std::size_t begin, std::size_t end);
  void find_landed(Journal& journal, Piece& piece, std::size_t begin, std::size_t end);
  std::optional<std::uint64_t> loaded_in_part(Journal& journal, const void* address, void* value,
                                              std::size_t bytes);
  void set_ticks(Piece& piece, std::size_t begin, std::size_t end, std::uint64_t tick);
  // Fills the memory by `read`, which is told where to.
  template <class Reader>
  void give(Piece& piece, std::size_t offset, std::size_t bytes, Reader&& read);
  std::optional<std::uint64_t> check_at_news(Piece& piece, std::size_t offset, std::size_t bytes);

  std::vector<Piece> pieces_;
  std::size_t last_ = 0;  // where the last one was found
  std::vector<Range> pending_;
  bool reports_news_ = false;
  std::vector<std::uint8_t> given_;
  std::vector<WatchedChange> changes_;

  struct Expected {
    const std::uint8_t* address;
    std::size_t bytes;
    ContentHash hash;
    int disappointments = 0;
  };
  struct Landed {
    WatchedChange change;
    SharedPayload payload;
  };
  static constexpr std::size_t kMostExpected = 128;
  std::function<void()> ask_;
  std::deque<Expected> expected_;
  std::vector<Landed> landed_;
  std::vector<std::uint8_t> arrived_;
};

}  // namespace photofinish
