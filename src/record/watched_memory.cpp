#include "record/watched_memory.h"

#include <algorithm>
#include <cstring>

#include "base/ticks.h"

namespace photofinish {
namespace {

constexpr std::size_t kPage = 4096;  // looked at first
constexpr std::size_t kGrain = 16;   // that is kept as a whole

struct Change {
  std::uint64_t offset = 0, bytes = 0;
};

void find_changes(const std::uint8_t* memory, const std::uint8_t* seen, std::size_t bytes, std::vector<Change>& changes) {
  for (std::size_t page = 0; page < bytes; page += kPage) {
    const std::size_t page_end = std::min(page + kPage, bytes);
    if (std::memcmp(memory + page, seen + page, page_end - page) == 0) continue;
    for (std::size_t grain = page; grain < page_end; grain += kGrain) {
      const std::size_t size = std::min(kGrain, page_end - grain);
      if (std::memcmp(memory + grain, seen + grain, size) == 0) continue;
      if (!changes.empty() && changes.back().offset + changes.back().bytes == grain) changes.back().bytes += size;
      else changes.push_back({grain, size});
    }
  }
}

}  // namespace

void WatchedMemory::add(Journal& journal, std::uint64_t key, void* memory, std::size_t bytes) {
  if (bytes == 0) return;
  Piece& piece = pieces_.emplace_back(Piece{.key = key, .memory = static_cast<std::uint8_t*>(memory), .bytes = bytes, .seen = {}});
  if (journal.replays()) std::memset(memory, 0, bytes);
  else piece.seen.resize(bytes);
  exchange(journal, piece);
}

void WatchedMemory::remove(std::uint64_t key) {
  std::erase_if(pieces_, [&](const Piece& piece) { return piece.key == key; });
  last_ = 0;
  pending_.clear();
}

void WatchedMemory::exchange_changes(Journal& journal) {
  for (Piece& piece : pieces_) exchange(journal, piece);
}

void WatchedMemory::exchange(Journal& journal, Piece& piece) {
  std::vector<Change> changes;
  if (!journal.replays()) find_changes(piece.memory, piece.seen.data(), piece.bytes, changes);
  std::uint64_t count = changes.size(), end = 0;
  journal(count);
  for (std::uint64_t i = 0; i < count && journal.ok(); ++i) {
    Change change = journal.replays() ? Change{} : changes[i];
    std::uint64_t gap = change.offset - end;
    journal(gap, change.bytes);
    change.offset = end + gap;
    end = change.offset + change.bytes;
    if (end > piece.bytes || change.bytes > piece.bytes) return;  // damaged: the next question will not be the right one
    // Read once: others may be writing.
    if (!journal.replays()) std::memcpy(piece.seen.data() + change.offset, piece.memory + change.offset, change.bytes);
    journal.bytes((journal.replays() ? piece.memory : piece.seen.data()) + change.offset, change.bytes);
  }
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

// In all windows that have this memory.
void WatchedMemory::saw(const std::uint8_t* address, const std::uint8_t* value, std::size_t bytes) {
  for (Piece& piece : pieces_) {
    const std::uint8_t *begin = std::max<const std::uint8_t*>(address, piece.memory), *end = std::min<const std::uint8_t*>(address + bytes, piece.memory + piece.bytes);
    if (begin < end && !piece.seen.empty()) std::memcpy(piece.seen.data() + (begin - piece.memory), value + (begin - address), static_cast<std::size_t>(end - begin));
  }
}

std::optional<std::uint64_t> WatchedMemory::loaded(Journal& journal, const void* where, void* value, std::size_t bytes) {
  const auto* address = static_cast<const std::uint8_t*>(where);
  const Piece* piece = find(address, bytes);
  if (piece == nullptr) return std::nullopt;
  if (journal.replays()) {
    if (!journal.is_kept_load()) return std::nullopt;
    const std::uint64_t tick = journal.give_load(const_cast<std::uint8_t*>(address), bytes);
    std::memmove(value, address, bytes);
    return tick;
  }
  settle();
  journal.count_load();
  const std::uint8_t* seen = piece->seen.data() + (address - piece->memory);
  if (std::memcmp(seen, value, bytes) == 0) return std::nullopt;
  const std::uint64_t tick = ticks();
  if (value != where) {
    journal.keep_load(tick, value, bytes);
    saw(address, static_cast<const std::uint8_t*>(value), bytes);
    return tick;
  }
  // What others write now may be another value already: only the one that is kept counts.
  found_.assign(address, address + bytes);
  journal.keep_load(tick, found_.data(), bytes);
  saw(address, found_.data(), bytes);
  return tick;
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
