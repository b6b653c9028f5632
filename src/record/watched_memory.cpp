#include "record/watched_memory.h"

#include <algorithm>
#include <cstring>

#include "base/ticks.h"
#include "photofinish/runtime_abi.h"

namespace photofinish {
namespace {

constexpr std::size_t kPage = 4096;                // compared as a whole first
constexpr std::size_t kGrain = 16;                 // smallest unit that is stored
constexpr std::size_t kBlock = PHOTOFINISH_BLOCK;  // changes in it are stored along with a load

void find_changes(const std::uint8_t* memory, const std::uint8_t* seen, std::size_t begin,
                  std::size_t end, std::vector<WatchedChange>& changes) {
  for (std::size_t page = begin; page < end; page += kPage) {
    const std::size_t page_end = std::min(page + kPage, end);
    if (std::memcmp(memory + page, seen + page, page_end - page) == 0) continue;
    for (std::size_t grain = page; grain < page_end; grain += kGrain) {
      const std::size_t size = std::min(kGrain, page_end - grain);
      if (size == kGrain ? std::memcmp(memory + grain, seen + grain, kGrain) == 0
                         : std::memcmp(memory + grain, seen + grain, size) == 0)
        continue;
      if (!changes.empty() && changes.back().offset + changes.back().bytes == grain)
        changes.back().bytes += size;
      else
        changes.push_back({grain, size});
    }
  }
}

}  // namespace

WatchedMemory::Piece& WatchedMemory::add_piece(std::uint64_t key, void* memory, std::size_t bytes) {
  Piece& piece = pieces_.emplace_back(Piece{.key = key,
                                            .memory = static_cast<std::uint8_t*>(memory),
                                            .bytes = bytes,
                                            .seen = {},
                                            .alone = true,
                                            .news = {},
                                            .ticks = {}});
  for (Piece& other : pieces_)
    if (&other != &piece && other.memory < piece.memory + bytes &&
        piece.memory < other.memory + other.bytes)
      other.alone = piece.alone = false;
  return piece;
}

void WatchedMemory::add(Journal& journal, std::uint64_t key, void* memory, std::size_t bytes) {
  if (bytes == 0) return;
  Piece& piece = add_piece(key, memory, bytes);
  if (journal.replays())
    std::memset(memory, 0, bytes);
  else
    piece.seen.resize(bytes);
  exchange(journal, piece, 0, bytes);
  if (!reports_news_) return;
  piece.news.resize(bytes);
  piece.ticks.resize((bytes + kBlock - 1) / kBlock);
}

void WatchedMemory::add_known(bool replays, std::uint64_t key, void* memory, const void* known,
                              std::size_t bytes, bool mixed) {
  if (bytes == 0) return;
  Piece& piece = add_piece(key, memory, bytes);
  piece.mixed = mixed;
  const auto* const contents = static_cast<const std::uint8_t*>(known);
  if (!replays) piece.seen.assign(contents, contents + bytes);
  if (!reports_news_) return;
  piece.news.resize(bytes);
  piece.ticks.resize((bytes + kBlock - 1) / kBlock);
}

void WatchedMemory::remove(std::uint64_t key) {
  bool alone = true;
  std::erase_if(pieces_, [&](const Piece& piece) {
    if (piece.key == key) alone = alone && piece.alone;
    return piece.key == key;
  });
  last_ = 0;
  pending_.clear();
  expected_.clear();
  if (!alone) find_overlaps();
}

bool WatchedMemory::overlaps(const void* address, std::size_t bytes) const {
  const auto* const first = static_cast<const std::uint8_t*>(address);
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
    return first < piece.memory + piece.bytes && piece.memory < first + bytes;
  });
}

void WatchedMemory::find_overlaps() {
  for (Piece& one : pieces_)
    one.alone = std::all_of(pieces_.begin(), pieces_.end(), [&](const Piece& other) {
      return &one == &other || other.memory + other.bytes <= one.memory ||
             one.memory + one.bytes <= other.memory;
    });
}

void WatchedMemory::name(const void* address, std::size_t bytes) {
  auto begin = reinterpret_cast<std::uint64_t>(address), end = begin + bytes;
  auto next = named_.upper_bound(begin);
  if (next != named_.begin() && std::prev(next)->second >= begin) --next;
  while (next != named_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = named_.erase(next);
  }
  named_.emplace(begin, end);
}

void WatchedMemory::exchange_changes(Journal& journal) {
  for (Piece& piece : pieces_) {
    if (!piece.mixed) {
      exchange(journal, piece, 0, piece.bytes);
      continue;
    }
    const auto base = reinterpret_cast<std::uint64_t>(piece.memory);
    for (const auto& [begin, end] : named_) {
      const std::uint64_t first = std::max(begin, base), last = std::min(end, base + piece.bytes);
      if (first < last) exchange(journal, piece, first - base, last - base);
    }
  }
}

void WatchedMemory::exchange(Journal& journal, Piece& piece, std::size_t begin, std::size_t end) {
  changes_.clear();
  landed_.clear();
  if (!journal.replays()) {
    if (journal.shares()) find_landed(journal, piece, begin, end);
    find_changes(piece.memory, piece.seen.data(), begin, end, changes_);
  }
  // The number of changes, and a bit for arrived puts of the group.
  std::uint64_t count = changes_.size() << 1 | (landed_.empty() ? 0 : 1), next = begin;
  journal(count);
  if ((count & 1) != 0) {
    std::uint64_t puts = landed_.size();
    journal(puts);
    for (std::uint64_t i = 0; i < puts && journal.ok(); ++i) {
      Landed put = journal.replays() ? Landed{} : landed_[i];
      journal(put.change.offset, put.change.bytes, put.payload);
      if (!journal.replays()) continue;
      if (put.change.offset > piece.bytes || put.change.bytes > piece.bytes - put.change.offset)
        return;  // damaged
      fill(piece, put.change.offset, put.change.bytes,
           [&](std::uint8_t* to) { journal.take(put.payload, to, put.change.bytes); });
      if (!piece.ticks.empty())
        set_ticks(piece, put.change.offset, put.change.offset + put.change.bytes,
                  piece.ticks[begin / kBlock]);
    }
  }
  count >>= 1;
  for (std::uint64_t i = 0; i < count && journal.ok(); ++i) {
    WatchedChange change = journal.replays() ? WatchedChange{} : changes_[i];
    std::uint64_t gap = change.offset - next;
    journal(gap, change.bytes);
    change.offset = next + gap;
    // Damaged: the next key will not match.
    if (gap > end - next || change.bytes > end - change.offset) return;
    next = change.offset + change.bytes;
    if (journal.replays()) {
      fill(piece, change.offset, change.bytes,
           [&](std::uint8_t* to) { journal.bytes(to, change.bytes); });
    } else {  // read once: others may be writing
      std::uint8_t* const seen = piece.seen.data() + change.offset;
      std::memcpy(seen, piece.memory + change.offset, change.bytes);
      journal.bytes(seen, change.bytes);
      if (!piece.alone) saw(piece.memory + change.offset, seen, change.bytes);
    }
  }
}

void WatchedMemory::expect(const void* address, std::size_t bytes, const ContentHash& hash) {
  const auto* begin = static_cast<const std::uint8_t*>(address);
  std::erase_if(expected_, [&](const Expected& other) {
    return other.address == begin && other.bytes == bytes;
  });
  if (expected_.size() == kMostExpected) expected_.pop_front();
  expected_.push_back({begin, bytes, hash});
}

// Finds expected puts in the compared range. A put that arrived in part, or was overwritten, is
// stored as an ordinary change.
void WatchedMemory::find_landed(Journal& journal, Piece& piece, std::size_t begin,
                                std::size_t end) {
  constexpr int kMostMisses = 3;
  if (ask_) ask_();
  std::erase_if(expected_, [&](Expected& put) {
    const auto offset = static_cast<std::size_t>(put.address - piece.memory);
    if (put.address < piece.memory || offset >= end || offset + put.bytes <= begin ||
        put.bytes > piece.bytes - offset)
      return false;
    std::uint8_t* const seen = piece.seen.data() + offset;
    if (std::memcmp(seen, put.address, put.bytes) == 0) return false;  // unchanged: not arrived yet
    arrived_.assign(put.address, put.address + put.bytes);  // read once: others may be writing
    const auto payload = content_hash(arrived_.data(), put.bytes) == put.hash
                             ? journal.taken(put.hash)
                             : std::nullopt;
    if (!payload) return ++put.misses == kMostMisses;
    landed_.push_back({{offset, put.bytes}, *payload});
    saw(put.address, arrived_.data(), put.bytes);
    return true;
  });
}

template <class Reader>
void WatchedMemory::fill(Piece& piece, std::size_t offset, std::size_t bytes, Reader&& read) {
  std::uint8_t* const memory = piece.memory + offset;
  if (piece.news.empty()) return read(memory);
  given_.resize(bytes);
  read(given_.data());
  for (std::size_t i = 0; i < bytes; ++i)
    if (memory[i] != given_[i]) piece.news[offset + i] = true;
  std::memcpy(memory, given_.data(), bytes);
}

WatchedMemory::Piece* WatchedMemory::find(const std::uint8_t* address, std::size_t bytes) {
  const auto holds = [&](const Piece& piece) {
    const auto offset = static_cast<std::size_t>(address - piece.memory);
    return address >= piece.memory && offset < piece.bytes && bytes <= piece.bytes - offset;
  };
  if (last_ < pieces_.size() && holds(pieces_[last_])) return &pieces_[last_];
  for (last_ = 0; last_ < pieces_.size(); ++last_)
    if (holds(pieces_[last_])) return &pieces_[last_];
  return nullptr;
}

// Updates the shadow copy of all windows that contain this memory.
void WatchedMemory::saw(const std::uint8_t* address, const std::uint8_t* value, std::size_t bytes) {
  for (Piece& piece : pieces_) {
    const std::uint8_t *begin = std::max<const std::uint8_t*>(address, piece.memory),
                       *end = std::min<const std::uint8_t*>(address + bytes,
                                                            piece.memory + piece.bytes);
    if (begin < end && !piece.seen.empty())
      std::memcpy(piece.seen.data() + (begin - piece.memory), value + (begin - address),
                  static_cast<std::size_t>(end - begin));
  }
}

std::optional<std::uint64_t> WatchedMemory::loaded(Journal& journal, const void* where, void* value,
                                                   std::size_t bytes) {
  const auto* address = static_cast<const std::uint8_t*>(where);
  Piece* piece = find(address, bytes);
  if (piece == nullptr) return loaded_in_part(journal, where, value, bytes);
  const auto offset = static_cast<std::size_t>(address - piece->memory);
  const std::size_t begin = piece->mixed ? offset : offset / kBlock * kBlock,
                    end = piece->mixed ? offset + bytes
                                       : std::min(piece->bytes,
                                                  (offset + bytes + kBlock - 1) / kBlock * kBlock);
  // Without a value, the load is about to happen, and is replayed with the rest of the block. With
  // a value, only the value counts: others may have written since.
  const bool has_value = value != where;
  if (journal.replays()) {
    if (!journal.is_kept_load()) return take_news(*piece, offset, bytes);
    const std::uint64_t tick = journal.give_load();
    set_ticks(*piece, begin, end, tick);
    if (has_value) {
      fill(*piece, offset, bytes, [&](std::uint8_t* to) { journal.bytes(to, bytes); });
      std::memcpy(value, address, bytes);
      take_news(*piece, offset, bytes);
    }
    exchange(journal, *piece, begin, end);
    if (!has_value) take_news(*piece, offset, bytes);
    journal.done();
    return tick;
  }
  settle();
  journal.count_load();
  if (std::memcmp(piece->seen.data() + offset, value, bytes) == 0) return std::nullopt;
  const std::uint64_t tick = ticks();
  journal.keep_load(tick);
  if (has_value) {
    journal.bytes(value, bytes);
    saw(address, static_cast<const std::uint8_t*>(value), bytes);
  }
  exchange(journal, *piece, begin, end);
  journal.done();
  return tick;
}

// A load across the border of a window, as in vectorized code: the part inside is a load of its
// own.
std::optional<std::uint64_t> WatchedMemory::loaded_in_part(Journal& journal, const void* where,
                                                           void* value, std::size_t bytes) {
  auto* const address = static_cast<const std::uint8_t*>(where);
  std::optional<std::uint64_t> tick;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::uint8_t *begin = std::max<const std::uint8_t*>(address, pieces_[i].memory),
                       *end = std::min<const std::uint8_t*>(address + bytes,
                                                            pieces_[i].memory + pieces_[i].bytes);
    if (begin >= end) continue;
    if (const auto found =
            loaded(journal, begin, static_cast<std::uint8_t*>(value) + (begin - address),
                   static_cast<std::size_t>(end - begin)))
      tick = found;
  }
  return tick;
}

void WatchedMemory::set_ticks(Piece& piece, std::size_t begin, std::size_t end,
                              std::uint64_t tick) {
  if (!piece.ticks.empty())
    std::fill(piece.ticks.begin() + static_cast<std::ptrdiff_t>(begin / kBlock),
              piece.ticks.begin() + static_cast<std::ptrdiff_t>((end + kBlock - 1) / kBlock), tick);
}

// The whole range is a single load in the journal.
void WatchedMemory::look_ahead(Journal& journal, const void* where, std::size_t bytes) {
  const auto* address = static_cast<const std::uint8_t*>(where);
  Piece& piece = *find(address, bytes);
  const auto begin = static_cast<std::size_t>(address - piece.memory), end = begin + bytes;
  if (journal.replays()) {
    if (!journal.is_kept_load()) return;
    set_ticks(piece, begin, end, journal.give_load());
  } else {
    settle();
    journal.count_load();
    if (std::memcmp(piece.seen.data() + begin, address, bytes) == 0) return;
    journal.keep_load(ticks());
  }
  exchange(journal, piece, begin, end);
  journal.done();
}

const std::uint8_t* WatchedMemory::check_within(Journal& journal, const std::uint8_t* address,
                                                std::size_t bytes) {
  settle();
  const std::uint8_t* found = address;
  for (Piece& piece : pieces_) {
    const std::uint8_t *begin = std::max<const std::uint8_t*>(address, piece.memory),
                       *end = std::min<const std::uint8_t*>(address + bytes,
                                                            piece.memory + piece.bytes);
    if (begin >= end) continue;
    std::uint64_t tick = journal.replays() ? 0 : ticks();
    journal(tick);
    set_ticks(piece, static_cast<std::size_t>(begin - piece.memory),
              static_cast<std::size_t>(end - piece.memory), tick);
    exchange(journal, piece, static_cast<std::size_t>(begin - piece.memory),
             static_cast<std::size_t>(end - piece.memory));
    if (begin == address && end == address + bytes && !piece.seen.empty())
      found = piece.seen.data() + (address - piece.memory);
  }
  return found;
}

std::optional<std::int64_t> WatchedMemory::distance_of(const void* where, std::size_t bytes,
                                                       bool& any) {
  const auto* address = static_cast<const std::uint8_t*>(where);
  if (const Piece* piece = find(address, bytes)) {
    any = true;
    if (!piece->alone) return std::nullopt;
    return piece->seen.empty() ? 0 : piece->seen.data() - piece->memory;
  }
  any = overlaps(where, bytes);
  if (any) return std::nullopt;
  return 0;
}

WatchedMemory::Seen WatchedMemory::all_around(const void* where, bool each_load) {
  Piece* piece = find(static_cast<const std::uint8_t*>(where), 1);
  if (piece == nullptr || !piece->alone || piece->mixed) return {};
  const std::size_t blocks = (piece->bytes + kBlock - 1) / kBlock;
  piece->checked.resize(blocks);
  for (const std::uint32_t block : piece->checked_blocks) piece->checked[block] = 0;
  piece->checked_blocks.clear();
  if (each_load) piece->never_checked.resize(blocks);
  return {reinterpret_cast<std::uint64_t>(piece->memory), piece->bytes,
          piece->seen.empty() ? 0 : piece->seen.data() - piece->memory,
          each_load ? piece->never_checked.data() : piece->checked.data()};
}

// Checks all bytes that an access which begins in the block can load.
void WatchedMemory::check_at(Journal& journal, const void* where) {
  const auto* address = static_cast<const std::uint8_t*>(where);
  Piece* piece = find(address, 1);
  if (piece == nullptr) return;
  const auto block = static_cast<std::size_t>(address - piece->memory) / kBlock,
             begin = block * kBlock;
  if (piece->checked[block] != 0) return;
  piece->checked[block] = 1;
  piece->checked_blocks.push_back(static_cast<std::uint32_t>(block));
  look_ahead(journal, piece->memory + begin,
             std::min(kBlock + PHOTOFINISH_SPAN, piece->bytes - begin));
}

std::optional<std::uint64_t> WatchedMemory::news_of(const void* where, std::size_t bytes) {
  const auto* address = static_cast<const std::uint8_t*>(where);
  Piece* piece = find(address, bytes);
  return piece != nullptr
             ? take_news(*piece, static_cast<std::size_t>(address - piece->memory), bytes)
             : std::nullopt;
}

std::optional<std::uint64_t> WatchedMemory::take_news(Piece& piece, std::size_t offset,
                                                      std::size_t bytes) {
  if (piece.news.empty()) return std::nullopt;
  const auto begin = piece.news.begin() + static_cast<std::ptrdiff_t>(offset),
             end = begin + static_cast<std::ptrdiff_t>(bytes);
  if (std::find(begin, end, true) == end) return std::nullopt;
  std::fill(begin, end, false);
  return piece.ticks[offset / kBlock];
}

void WatchedMemory::overwritten(const void* address, std::size_t bytes) {
  const auto* first = static_cast<const std::uint8_t*>(address);
  for (Piece& piece : pieces_) {
    const std::uint8_t *begin = std::max<const std::uint8_t*>(first, piece.memory),
                       *end =
                           std::min<const std::uint8_t*>(first + bytes, piece.memory + piece.bytes);
    if (begin < end && !piece.news.empty())
      std::fill(piece.news.begin() + (begin - piece.memory),
                piece.news.begin() + (end - piece.memory), false);
  }
}

WatchedMemory::Seen WatchedMemory::seen_at(const void* where) {
  const auto* address = static_cast<const std::uint8_t*>(where);
  const Piece* piece = find(address, 1);
  if (piece == nullptr || !piece->alone || piece->seen.empty()) return {};
  constexpr std::uint64_t kPageSize = 1 << PHOTOFINISH_PAGE_BITS;
  const auto memory = reinterpret_cast<std::uint64_t>(piece->memory),
             page = reinterpret_cast<std::uint64_t>(address) / kPageSize * kPageSize;
  const std::uint64_t begin = std::max(page, memory),
                      end = std::min(
                          page + kPageSize,
                          memory + piece->bytes -
                              std::min<std::uint64_t>(piece->bytes, PHOTOFINISH_SEEN_ACCESS - 1));
  if (begin >= end) return {};
  return {begin, end - begin, piece->seen.data() - piece->memory};
}

void WatchedMemory::stored(const void* address, const void* value, std::size_t bytes) {
  saw(static_cast<const std::uint8_t*>(address), static_cast<const std::uint8_t*>(value), bytes);
}

void WatchedMemory::will_store(const void* address, std::size_t bytes) {
  settle();
  pending_.push_back({static_cast<const std::uint8_t*>(address), bytes});
}

void WatchedMemory::settle() {
  if (pending_.empty()) return;
  for (const Range& range : pending_) saw(range.address, range.address, range.bytes);
  pending_.clear();
}

}  // namespace photofinish
