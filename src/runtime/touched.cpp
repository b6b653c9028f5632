#include "runtime/touched.h"

#include <algorithm>
#include <tuple>

namespace photofinish {

// The first task that uses a site keeps it; the others have their own.
Touched::State& Touched::state_of(photofinish_site& site) {
  auto& state = reinterpret_cast<State&>(site);
  Touched* owner = __atomic_load_n(&state.owner, __ATOMIC_RELAXED);
  if (owner == this) return state;
  if (owner == nullptr && __atomic_compare_exchange_n(&state.owner, &owner, this, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return state;
  return others_[&site];
}

void Touched::finish(State& state) {
  // Two or three in a row mean nothing yet: as single ones they may join others.
  const bool regular = state.rows > 3;
  for (std::uint64_t i = 0; i < (regular ? 1 : state.rows); ++i)
    rows_.push_back({state.site, state.call, state.begin + i * static_cast<std::uint64_t>(state.stride), state.bytes, regular ? state.rows : 1,
                     regular ? state.stride : 0});
  if (rows_.size() >= compact_at_) compact();
}

void Touched::start(State& state, const TouchedRow& row, std::uint64_t pc, std::uint64_t frame) {
  if (state.moment != moment_) {
    state.moment = moment_;
    state.site = sites_.find(pc, frame);
    state.call = row.call;
    growing_.push_back(&state);
  } else {
    finish(state);
  }
  state.begin = row.begin;
  state.bytes = row.bytes;
  state.rows = row.rows;
  state.stride = row.stride;
}

void Touched::access(photofinish_site& site, std::uint64_t begin, std::uint64_t bytes, Call call, std::uint64_t pc, std::uint64_t frame) {
  State& state = state_of(site);
  if (state.moment == moment_) {
    if (state.rows == 1) {
      const std::uint64_t end = state.begin + state.bytes;
      if (begin >= state.begin && begin <= end) {  // inside, or right behind
        state.bytes = std::max(end, begin + bytes) - state.begin;
        return;
      }
      if (begin < state.begin && begin + bytes >= state.begin) {
        state.bytes = std::max(end, begin + bytes) - begin;
        state.begin = begin;
        return;
      }
      if (bytes == state.bytes) {  // the second of a row?
        state.stride = static_cast<std::int64_t>(begin - state.begin);
        state.rows = 2;
        return;
      }
    } else if (bytes == state.bytes) {
      if (begin == state.begin + state.rows * static_cast<std::uint64_t>(state.stride)) {
        ++state.rows;
        return;
      }
      if (begin == state.begin + (state.rows - 1) * static_cast<std::uint64_t>(state.stride)) return;
    }
  }
  start(state, {{}, call, begin, bytes, 1, 0}, pc, frame);
}

void Touched::row(photofinish_site& site, const TouchedRow& row, std::uint64_t pc, std::uint64_t frame) {
  if (row.rows == 1) return access(site, row.begin, row.bytes, row.call, pc, frame);
  State& state = state_of(site);
  if (state.moment == moment_ && state.begin == row.begin && state.bytes == row.bytes && state.rows == row.rows && state.stride == row.stride) return;
  start(state, row, pc, frame);
}

// Sorts, and joins what touches.
void Touched::compact() {
  const auto key = [](const TouchedRow& row) { return std::tuple(row.site.value, row.call, row.rows > 1, row.bytes * (row.rows > 1), row.stride, row.begin); };
  std::sort(rows_.begin(), rows_.end(), [&](const TouchedRow& a, const TouchedRow& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const TouchedRow& row : rows_) {
    TouchedRow* last = kept > 0 ? &rows_[kept - 1] : nullptr;
    if (last != nullptr && last->site == row.site && last->call == row.call && last->rows == row.rows) {
      if (row.rows == 1 && row.begin <= last->begin + last->bytes) {
        last->bytes = std::max(last->bytes, row.begin + row.bytes - last->begin);
        continue;
      }
      if (row.rows > 1 && row.begin == last->begin && row.bytes == last->bytes && row.stride == last->stride) continue;
    }
    rows_[kept++] = row;
  }
  rows_.resize(kept);
  compact_at_ = std::max<std::size_t>(1 << 12, 2 * kept);
}

std::vector<TouchedRow>& Touched::take() {
  for (State* state : growing_) finish(*state);
  growing_.clear();
  ++moment_;
  compact();
  compact_at_ = 1 << 12;
  return rows_;
}

}  // namespace photofinish
