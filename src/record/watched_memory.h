// Memory of a rank that other ranks can write. Changes in it are external inputs. A recorded rank
// keeps a shadow copy of what it has seen; on replay, the memory is that copy.
//
// An instrumented program reports the value of each load and store. Only a loaded value that
// differs from the shadow copy is stored (SReplay, Algorithm 1), so the journal holds exactly what
// the program used. Changes in the surrounding block are stored along with it, since they are
// usually loaded next. Later loads there are compared again.
//
// For any other program, all changes are stored after each call that may have waited for other
// ranks. They include the program's own stores, which are not reported; replaying these changes
// nothing. This costs a comparison of the whole memory per call, and loads between two calls are
// not seen.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "record/journal.h"

namespace photofinish {

struct WatchedChange {
  std::uint64_t offset = 0, bytes = 0;
};

class WatchedMemory {
 public:
  // A put is pending there. Once it has arrived completely, a reference to the shared payload is
  // stored (record/shared_payloads.h).
  void expect(const void* address, std::size_t bytes, const ContentHash& hash);
  // `ask` is called before each search for changes, and may call expect().
  void ask_for_arrivals(std::function<void()> ask) { ask_ = std::move(ask); }

  // Also stores the current contents: memory that MPI allocated may contain anything.
  void add(Journal& journal, std::uint64_t key, void* memory, std::size_t bytes);
  // The same for memory with the contents `known`, which a replayed rank has there by itself.
  // `mixed`: other variables of the program are between those that others write, and other threads
  // may be changing them. So no more is stored than what was loaded or named.
  void add_known(bool replays, std::uint64_t key, void* memory, const void* known,
                 std::size_t bytes, bool mixed);
  // A call of this rank names these bytes: others may write them.
  void name(const void* address, std::size_t bytes);
  void remove(std::uint64_t key);
  bool overlaps(const void* address, std::size_t bytes) const;
  bool empty() const { return pieces_.empty(); }

  void exchange_changes(Journal& journal);

  // Whether a loaded value equals the shadow copy. False may also mean that a full check is needed.
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
  // A load found `value`, or is about to find what is there (value is address). Returns when it was
  // recorded, if it differs from the shadow copy; otherwise nullopt.
  std::optional<std::uint64_t> loaded(Journal& journal, const void* address, void* value,
                                      std::size_t bytes);
  // All these bytes are about to be loaded, from the shadow copy.
  void look_ahead(Journal& journal, const void* address, std::size_t bytes);
  // The same for any memory, inside the current journal entry. Returns the address of its shadow
  // copy, or `address` if there is none.
  const std::uint8_t* check_within(Journal& journal, const std::uint8_t* address,
                                   std::size_t bytes);
  // Distance from the memory to its shadow copy; zero on replay, where they are the same. `any`:
  // some of it is window memory. nullopt if it is not entirely in one window, or in several.
  std::optional<std::int64_t> distance_of(const void* address, std::size_t bytes, bool& any);
  // With report_news(): the result that `loaded` would have.
  std::optional<std::uint64_t> news_of(const void* address, std::size_t bytes);
  void stored(const void* address, const void* value, std::size_t bytes);
  void will_store(const void* address, std::size_t bytes);
  // The announced stores have happened.
  void settle();
  // The shadow copy around a load or store. Accesses that begin in these bytes, on one page, may
  // use it without calling the library. Empty: none.
  struct Seen {
    std::uint64_t begin = 0, bytes = 0;
    std::int64_t distance = 0;
    const std::uint8_t* checked = nullptr;
  };
  Seen seen_at(const void* address);
  // The same for the whole window around it, also on replay. From here on each block is checked
  // before anything is loaded from it. `checked` shows which blocks were; with `each_load`, none
  // are, so that each load is reported.
  Seen all_around(const void* address, bool each_load);
  void check_at(Journal& journal, const void* address);

  // On replay: from now on `loaded` returns the time of each value when it is first loaded, not
  // when it is replayed.
  void report_news() { reports_news_ = true; }
  // These bytes were overwritten by the program or by an MPI call: they are no longer news.
  void overwritten(const void* address, std::size_t bytes);

 private:
  struct Piece {
    std::uint64_t key = 0;
    std::uint8_t* memory = nullptr;
    std::size_t bytes = 0;
    std::vector<std::uint8_t> seen;  // the shadow copy of a recorded rank
    bool alone = true;               // overlaps no other piece
    bool mixed = false;
    std::vector<bool> news;            // with report_news(), for each byte: new and not loaded yet
    std::vector<std::uint64_t> ticks;  // for each block: when it was recorded
    std::vector<std::uint8_t> checked = {};          // for each block: checked by the current loop
    std::vector<std::uint32_t> checked_blocks = {};  // blocks with that flag
    std::vector<std::uint8_t> never_checked = {};
  };
  struct Range {
    const std::uint8_t* address;
    std::size_t bytes;
  };
  Piece* find(const std::uint8_t* address, std::size_t bytes);
  Piece& add_piece(std::uint64_t key, void* memory, std::size_t bytes);
  void find_overlaps();
  void saw(const std::uint8_t* address, const std::uint8_t* value, std::size_t bytes);
  void exchange(Journal& journal, Piece& piece, std::size_t begin, std::size_t end);
  void find_landed(Journal& journal, Piece& piece, std::size_t begin, std::size_t end);
  std::optional<std::uint64_t> loaded_in_part(Journal& journal, const void* address, void* value,
                                              std::size_t bytes);
  void set_ticks(Piece& piece, std::size_t begin, std::size_t end, std::uint64_t tick);
  // Fills the memory. `read` writes to the given address.
  template <class Reader>
  void fill(Piece& piece, std::size_t offset, std::size_t bytes, Reader&& read);
  std::optional<std::uint64_t> take_news(Piece& piece, std::size_t offset, std::size_t bytes);

  std::vector<Piece> pieces_;
  std::map<std::uint64_t, std::uint64_t> named_;  // begin and end of disjoint ranges
  std::size_t last_ = 0;                          // index of the last hit
  std::vector<Range> pending_;
  bool reports_news_ = false;
  std::vector<std::uint8_t> given_;
  std::vector<WatchedChange> changes_;

  struct Expected {
    const std::uint8_t* address;
    std::size_t bytes;
    ContentHash hash;
    int misses = 0;
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
