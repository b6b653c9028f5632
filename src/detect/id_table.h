// A hash table from numeric ids to values, for very many entries with little overhead per entry.
//
// Entries lie in blocks and stay where they are until they are erased. An index of entry slots, at
// most two thirds full, is probed linearly from the hash of the id. Invariant: the index has no
// free slot between an entry's hash position and the entry.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace photofinish {

template <class T>
class IdTable {
 public:
  std::size_t size() const { return size_; }
  T* find(std::uint64_t id) {
    const std::size_t at = position_of(id);
    return at == kNowhere ? nullptr : &entry(index_[at] - 1).value;
  }
  const T* find(std::uint64_t id) const { return const_cast<IdTable*>(this)->find(id); }
  // Inserts a default value if the id is absent.
  T& operator[](std::uint64_t id) {
    if (T* const found = find(id)) return *found;
    if (3 * (size_ + 1) > 2 * index_.size()) grow();
    std::uint32_t slot;
    if (free_ != kNone) {
      slot = free_;
      free_ = static_cast<std::uint32_t>(entry(slot).id);
    } else {
      slot = used_++;
      if (slot / kBlock == blocks_.size()) blocks_.push_back(std::make_unique<Entry[]>(kBlock));
    }
    entry(slot).id = id;
    put(slot);
    ++size_;
    return entry(slot).value;
  }
  void erase(std::uint64_t id) {
    std::size_t at = position_of(id);
    if (at == kNowhere) return;
    const std::uint32_t slot = index_[at] - 1;
    // Moves later entries of the probe sequence up, so that the freed slot does not hide them.
    const std::size_t mask = index_.size() - 1;
    for (std::size_t next = (at + 1) & mask; index_[next] != 0; next = (next + 1) & mask) {
      const std::size_t home = hash(entry(index_[next] - 1).id) & mask;
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      index_[at] = index_[next];
      at = next;
    }
    index_[at] = 0;
    entry(slot).value = T();
    entry(slot).id = free_;
    free_ = slot;
    --size_;
    if (size_ == 0 && used_ > kBlock) clear();
  }
  void clear() {
    blocks_.clear();
    blocks_.shrink_to_fit();
    index_ = std::vector<std::uint32_t>();
    size_ = 0;
    used_ = 0;
    free_ = kNone;
  }
  template <class Visit>
  void each(Visit visit) const {
    for (const std::uint32_t slot : index_)
      if (slot != 0) {
        const Entry& one = blocks_[(slot - 1) / kBlock][(slot - 1) % kBlock];
        visit(one.id, one.value);
      }
  }
  std::size_t bytes() const {
    return blocks_.size() * kBlock * sizeof(Entry) + index_.size() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::size_t kBlock = 64, kNowhere = ~std::size_t{0};
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    std::uint64_t id = 0;  // in a free entry: the next free one
    T value;
  };

  static std::size_t hash(std::uint64_t id) {
    return static_cast<std::size_t>((id ^ id >> 32) * 0x9e3779b97f4a7c15u >> 20);
  }
  Entry& entry(std::uint32_t slot) { return blocks_[slot / kBlock][slot % kBlock]; }
  std::size_t position_of(std::uint64_t id) {
    if (size_ == 0) return kNowhere;
    const std::size_t mask = index_.size() - 1;
    for (std::size_t at = hash(id) & mask; index_[at] != 0; at = (at + 1) & mask)
      if (entry(index_[at] - 1).id == id) return at;
    return kNowhere;
  }
  void put(std::uint32_t slot) {
    const std::size_t mask = index_.size() - 1;
    std::size_t at = hash(entry(slot).id) & mask;
    while (index_[at] != 0) at = (at + 1) & mask;
    index_[at] = slot + 1;
  }
  void grow() {
    const std::vector<std::uint32_t> old =
        std::exchange(index_, std::vector<std::uint32_t>(index_.empty() ? 16 : 2 * index_.size()));
    for (const std::uint32_t slot : old)
      if (slot != 0) put(slot - 1);
  }

  std::vector<std::unique_ptr<Entry[]>> blocks_;
  std::vector<std::uint32_t> index_;  // slot + 1; 0: free
  std::size_t size_ = 0;
  std::uint32_t used_ = 0;  // number of slots ever used
  std::uint32_t free_ = kNone;
};

}  // namespace photofinish
