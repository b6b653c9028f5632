// What the outside gave one task, in the order in which it asked: kept while the program runs,
// given back when it runs again.
//
// One function for both directions, so that they cannot differ: exchange(x) keeps x, or makes x
// what was kept. An entry is a question (a call, where, with which arguments) and its answer. When
// the program runs again each question must be the recorded one; the first that is not means that
// the program has left the recorded path.
//
// Most questions of a place are the same again: then only the place is kept. A question has two
// halves, for what a program's arguments stand for may itself be a fact that was kept.
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

// What a task asks: a call of MPI, or something else that is not in its own hands.
struct Inquiry {
  std::uint32_t what = 0;  // a Call; from kOtherQueries on one of those
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
  // Whole entries, some at a time; false: there are no more.
  using Source = std::function<bool(std::vector<std::uint8_t>&)>;

  explicit Journal(Lane* lane) : lane_(lane) {}
  explicit Journal(Source source) : source_(std::move(source)) {}

  bool replays() const { return lane_ == nullptr; }

  enum class Asked {
    Same,
    Other,
    End
  };  // Other: expected() is what was asked here. End: nothing was, any more.
  Asked ask(std::uint32_t what, SiteId site);
  Asked ask_with(const std::vector<Inquiry::Given>& fields);
  const Inquiry& expected() const { return *expected_; }
  // The end of the answer.
  void done();
  std::uint64_t entries() const { return entries_; }
  // Of a replayed task: whether all that was recorded has been asked.
  bool at_end() { return !fill(); }

  // Loads of memory that others may write are entries only where they found something new: between
  // two entries they are counted.
  void count_load() { ++loads_; }
  void count_loads(std::uint64_t more) { loads_ += more; }
  // The last one that was counted found something new, at this time (in ticks, later than the one
  // before): what, is the answer, until done().
  void keep_load(std::uint64_t tick);
  // Of a replayed task, for each of them: whether it is the next entry; its answer then follows.
  bool is_kept_load();
  std::uint64_t give_load();  // when it was

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
  // So many bytes of the program's memory, whatever they are.
  void bytes(void* data, std::size_t size) { keep(data, size, nullptr); }

  // The ranks of a group give each other what they gave each other (record/shared_payloads.h): of
  // one that is recorded, and of one that is replayed. `lost`: an offer that does not come; it does
  // not return. `other`: one that is not what it was.
  void share(PayloadTable* table) { table_ = table; }
  void share(PayloadFiles* files, std::function<void(SharedPayload)> lost,
             std::function<void(SharedPayload)> other) {
    files_ = files, lost_ = std::move(lost), other_ = std::move(other);
  }
  bool shares() const { return table_ != nullptr || files_ != nullptr; }
  // As bytes(); but they may be what one of the group offered, and others may be given them as
  // well.
  void contents(void* data, std::size_t size);
  // This task is about to give them to one of the group. Their hash, if they are recorded and have
  // one.
  std::optional<ContentHash> payload(const void* data, std::size_t size);
  // Whose offer contents are that have been found to have this hash; for `exchange`. Of a replayed
  // rank: they themselves, whosever they were.
  std::optional<SharedPayload> taken(const ContentHash& hash) { return table_->take(hash); }
  void take(SharedPayload payload, void* data, std::size_t size);
  // Whether all answers so far were whole: a damaged journal gives zeros.
  bool ok() const { return in_.ok(); }

 private:
  // Bytes that are being put together. (A vector would clear what is about to be written.)
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
  Bytes entry_;                      // that is being kept
  std::vector<std::uint8_t> chunk_;  // that is being given back
  Decoder in_{nullptr, nullptr};
  std::uint64_t entries_ = 0;
  std::deque<Inquiry> last_;  // of each place, by number
  std::unordered_map<SiteId, Inquiry>
      last_of_many_;  // those with high numbers, which a damaged journal may have, too
  Inquiry* expected_ = nullptr;
  Inquiry load_{.what = kLoadQuery, .site = SiteId(0)};
  bool fill();
  std::uint64_t loads_ = 0;             // since the last entry
  std::uint64_t kept_load_ = kUnknown;  // which of them is the next entry; 0: none
  std::uint64_t load_tick_ = 0;         // of the last that was kept
  unsigned unpacked_ = 0;               // to come
  PayloadTable* table_ = nullptr;
  PayloadFiles* files_ = nullptr;
  std::function<void(SharedPayload)> lost_, other_;
  struct Kept {
    ContentHash hash;
    std::uint64_t number;
  };
  std::vector<Kept> kept_payloads_;  // in this entry: nobody may take them before it is on record
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
};

}  // namespace photofinish
