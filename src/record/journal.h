// The journal: external inputs of one task, in program order. They are stored while the program
// runs, and returned on replay.
//
// One function serves both directions, so that they cannot differ: exchange(x) stores x, or sets x
// to what was stored. An entry is a key (the call, its site, its arguments) and a reply. On replay
// each key must equal the recorded one. The first that does not is the divergence.
//
// Most keys of a site equal the previous one there; then only the site is stored. A key has two
// parts, since the meaning of an argument may itself be a recorded fact.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/shared_payloads.h"
#include "trace/codec.h"
#include "trace/writer.h"

namespace photofinish {

// The key of an external input: an MPI call, or another input.
struct Inquiry {
  std::uint32_t what = 0;  // a Call; from kOtherQueries on another input
  SiteId site;
  struct Given {
    std::uint8_t field = 0;
    std::int64_t value = 0;
    bool operator==(const Given&) const = default;
  };
  std::vector<Given> fields = {};
  bool operator==(const Inquiry&) const = default;
};
template <class A>
void describe(A& a, Inquiry::Given& d) {
  a(d.field, d.value);
}
template <class A>
void describe(A& a, Inquiry& d) {
  a(d.what, d.site, d.fields);
}
inline constexpr std::uint32_t kOtherQueries = 1u << 16;
inline constexpr std::uint32_t kLoadQuery = kOtherQueries + 128;

class Journal {
 public:
  // Returns whole entries, several at a time; false: no more.
  using Source = std::function<bool(std::vector<std::uint8_t>&)>;

  explicit Journal(Lane* lane) : lane_(lane) {}
  explicit Journal(Source source) : source_(std::move(source)) {}

  bool replays() const { return lane_ == nullptr; }

  // Other: expected() is the recorded key. End: the journal has no more entries.
  enum class Asked { Same, Other, End };
  Asked ask(std::uint32_t what, SiteId site);
  Asked ask_with(const std::vector<Inquiry::Given>& fields);
  const Inquiry& expected() const { return *expected_; }
  // Ends the reply.
  void done();
  std::uint64_t entries() const { return entries_; }
  // For a replayed task: whether all entries have been replayed.
  bool at_end() { return !fill(); }

  // Loads of memory that others can write are entries only if they found a new value. The loads
  // between two entries are counted.
  void count_load() { ++loads_; }
  void count_loads(std::uint64_t more) { loads_ += more; }
  // The last counted load found a new value, at this tick, which must increase. Its reply follows
  // until done().
  void keep_load(std::uint64_t tick);
  // For a replayed task, called for each such load: whether it is the next entry. Its reply follows
  // then.
  bool is_kept_load();
  std::uint64_t give_load();  // its tick

  template <class... T>
  void operator()(T&... values) {
    (exchange(values), ...);
  }
  template <class T>
  void exchange(T& value) {
    if (replays()) {
      Read{in_}(value);
    } else {
      Size size;
      if constexpr (kIsId<T> || std::is_enum_v<T> || std::is_arithmetic_v<T>)
        size.bytes = kMaxVarint;
      else
        size(value);
      Encoder out(entry_.room(size.bytes));
      Write{out}(value);
      entry_.end_at(out.next());
    }
  }
  // Stores or returns this many bytes of the program's memory.
  void bytes(void* data, std::size_t size) { keep(data, size, nullptr); }

  // Enables shared payloads inside the group (record/shared_payloads.h): for a recorded rank, and
  // for a replayed one. `lost` is called if a payload does not arrive, and does not return.
  // `other`: the payload differs from the recorded one.
  void share(PayloadTable* table) { table_ = table; }
  void share(PayloadFiles* files, std::function<void(SharedPayload)> lost,
             std::function<void(SharedPayload)> other) {
    files_ = files, lost_ = std::move(lost), other_ = std::move(other);
  }
  bool shares() const { return table_ != nullptr || files_ != nullptr; }
  // As bytes(), but the bytes may be a shared payload, and may be shared with others.
  void contents(void* data, std::size_t size);
  // This task is about to send them to a rank of the group. Returns their hash, if they are shared.
  std::optional<ContentHash> payload(const void* data, std::size_t size);
  // The shared payload with this hash, for `exchange`. On replay, take() returns the contents.
  std::optional<SharedPayload> taken(const ContentHash& hash) { return table_->take(hash); }
  void take(SharedPayload payload, void* data, std::size_t size);
  // Whether all replies so far were complete: a damaged journal returns zeros.
  bool ok() const { return in_.ok(); }

 private:
  // A growing byte buffer. (A vector would zero new bytes first.)
  class Bytes {
   public:
    std::uint8_t* room(std::size_t more) {
      if (size_ + more > capacity_) [[unlikely]]
        grow(more);
      return bytes_.get() + size_;
    }
    void end_at(const std::uint8_t* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }
    void clear() { size_ = 0; }
    const std::uint8_t* data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }

   private:
    void grow(std::size_t more);
    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t size_ = 0, capacity_ = 0;
  };
  Inquiry& last_at(SiteId site);
  void keep(void* data, std::size_t size, const ContentHash* shared);

  Lane* const lane_ = nullptr;
  const Source source_;
  Bytes entry_;                      // the entry being stored
  std::vector<std::uint8_t> chunk_;  // the entries being replayed
  Decoder in_{nullptr, nullptr};
  std::uint64_t entries_ = 0;
  std::deque<Inquiry> last_;  // the last key of each site, by site number
  // For high site numbers, which a damaged journal may contain, too.
  std::unordered_map<SiteId, Inquiry> last_of_many_;
  Inquiry* expected_ = nullptr;
  Inquiry load_{.what = kLoadQuery, .site = SiteId(0)};
  bool fill();
  std::uint64_t loads_ = 0;             // since the last entry
  std::uint64_t kept_load_ = kUnknown;  // which of them is the next entry; 0: none
  std::uint64_t load_tick_ = 0;         // of the last entry of a load
  unsigned unpacked_ = 0;               // remaining
  PayloadTable* table_ = nullptr;
  PayloadFiles* files_ = nullptr;
  std::function<void(SharedPayload)> lost_, other_;
  struct Kept {
    ContentHash hash;
    std::uint64_t number;
  };
  // Of this entry: other ranks may take them only after it is recorded.
  std::vector<Kept> kept_payloads_;
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
};

}  // namespace photofinish
