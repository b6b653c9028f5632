#include "runtime/access_buffer.h"

#include <algorithm>
#include <atomic>
#include <tuple>

#include "runtime/sampling.h"

namespace photofinish {
namespace {

// Limits per interval after which a site gets a bitmap: rows that it starts, and accesses, even if
// they form a row. Accesses recorded in a bitmap need no hook call.
constexpr std::uint32_t kBegunMost = 8, kCallsMost = 64;
// The largest range with a bit per unit. Only used pages of the bitmap take memory.
constexpr std::uint64_t kCoverMost = std::uint64_t{1} << 32;
// Gathered footprints of one site in one interval, before they become rows.
constexpr std::size_t kGatheredMost = 16;
// Rows of up to this many pieces are stored as single pieces, which may merge with others.
constexpr std::uint64_t kRegular = 3;

// Indices of the library's words in a site.
enum LibraryWord { kOwner, kState };

// Owner numbers are never reused, since a new thread may have the address of one that ended.
void* next_owner() {
  static std::atomic<std::uintptr_t> last{0};
  return reinterpret_cast<void*>(++last);
}

}  // namespace

AccessBuffer::AccessBuffer(SiteCache& sites)
    : sites_(sites), owner_(next_owner()), lends_bits_(true) {}

AccessBuffer::State& AccessBuffer::state_of(photofinish_site*& site) {
  if (site->library[kOwner] == owner_) return *static_cast<State*>(site->library[kState]);
  photofinish_site* const own = own_sites_.own(*site);
  if (own == nullptr) return others_[site];
  site = own;
  if (site->library[kOwner] != owner_) {
    site->library[kOwner] = owner_;
    site->library[kState] = &states_.emplace_back();
  }
  return *static_cast<State*>(site->library[kState]);
}

void AccessBuffer::push(State& state, std::uint64_t begin, std::uint64_t bytes, std::uint64_t rows,
                        std::int64_t stride) {
  const bool regular = rows > kRegular;
  for (std::uint64_t i = 0; i < (regular ? 1 : rows); ++i)
    rows_.push_back({state.site, state.call, begin + i * static_cast<std::uint64_t>(stride), bytes,
                     regular ? rows : 1, regular ? stride : 0});
}

void AccessBuffer::finish(State& state) {
  push(state, state.begin, state.bytes, state.rows, state.stride);
  state.rows = 0;
  if (rows_.size() >= compact_at_) compact();
}

// The first access of the site in this interval.
void AccessBuffer::enter(State& state, Call call, std::uint64_t pc, std::uint64_t frame) {
  state.interval = interval_;
  state.site = sites_.find(pc, frame);
  state.call = call;
  state.rows = 0;
  state.begun = state.calls = 0;
  growing_.push_back(&state);
}

void AccessBuffer::begin_row(State& state, const AccessRow& row) {
  finish(state);
  ++state.begun;
  state.begin = row.begin;
  state.bytes = row.bytes;
  state.rows = row.rows;
  state.stride = row.stride;
}

bool AccessBuffer::grow(State& state, std::uint64_t begin, std::uint64_t bytes) {
  if (state.rows == 0) return false;
  if (state.rows == 1) {
    const std::uint64_t end = state.begin + state.bytes;
    if (begin >= state.begin && begin <= end) {  // inside, or adjacent
      state.bytes = std::max(end, begin + bytes) - state.begin;
      return true;
    }
    if (begin < state.begin && begin + bytes >= state.begin) {
      state.bytes = std::max(end, begin + bytes) - begin;
      state.begin = begin;
      return true;
    }
    if (bytes != state.bytes) return false;
    state.stride = static_cast<std::int64_t>(begin - state.begin);  // may be the second of a row
    state.rows = 2;
    return true;
  }
  if (bytes != state.bytes) return false;
  if (begin == state.begin + state.rows * static_cast<std::uint64_t>(state.stride)) {
    ++state.rows;
    return true;
  }
  return begin == state.begin + (state.rows - 1) * static_cast<std::uint64_t>(state.stride);
}

// Whether [begin, end) can be recorded as bits from now on, together with the existing ones.
bool AccessBuffer::scatter(State& state, photofinish_site& site, std::uint64_t begin,
                           std::uint64_t end, unsigned unit, std::uint64_t bytes) {
  if (state.scattered != nullptr && state.scattered->covers(begin, end)) return true;
  if (state.scattered == nullptr && state.begun < kBegunMost && state.calls < kCallsMost)
    return false;
  if (begin < state.last.begin || state.last.end < end || !state.last.reachable) return false;
  std::uint64_t low = state.last.begin, high = state.last.end;
  if (high - low > kCoverMost) {  // all memory is reachable: use the surroundings of the access
    low = std::max(low, begin / kCoverMost * kCoverMost);
    high = std::min(high, low + kCoverMost);
    if (end > high) return false;
  }
  if (state.scattered != nullptr) {
    low = std::min(low, state.scattered->begin());
    high = std::max(high, state.scattered->end());
  }
  if (high - low > kCoverMost) return false;
  auto wider = std::make_unique<Scattered>(low, high, unit, bytes);
  if (!wider->works()) return false;
  if (state.scattered != nullptr) take_scattered(state);
  state.scattered = std::move(wider);
  // Its row continues there.
  if (const std::uint64_t row_end = state.begin + state.bytes;
      state.rows == 1 && bytes == std::uint64_t{1} << unit &&
      state.scattered->covers(state.begin, row_end) &&
      state.scattered->fits(state.begin | state.bytes)) {
    state.scattered->add_range(state.begin, row_end);
    state.rows = 0;
  }
  // With sampling, each access has to call the hook.
  if (lends_bits_ && Sampling::get() == nullptr && site.library[kOwner] == owner_) {
    site.base = state.scattered->begin();
    site.units = state.scattered->units();
    site.bits = state.scattered->bits();
    site.thread = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
    lent_.push_back(&site);
  }
  return true;
}

void AccessBuffer::access(const Reach& reach, photofinish_site& site, std::uint64_t begin,
                          std::uint64_t bytes, unsigned unit, Call call, std::uint64_t pc,
                          std::uint64_t frame) {
  photofinish_site* own = &site;
  State& state = state_of(own);
  if (!reach.touches(begin, begin + bytes, state.last)) return;
  if (state.interval != interval_) enter(state, call, pc, frame);
  ++state.calls;
  if (state.scattered == nullptr && state.calls < kCallsMost && grow(state, begin, bytes)) return;
  if (scatter(state, *own, begin, begin + bytes, unit, bytes) && state.scattered->fits(begin) &&
      state.scattered->bytes() == bytes)
    state.scattered->add(begin);
  else if (!grow(state, begin, bytes))
    begin_row(state, {{}, call, begin, bytes, 1, 0});
}

void AccessBuffer::row(const Reach& reach, photofinish_site& site, const AccessRow& row,
                       std::uint64_t pc, std::uint64_t frame) {
  photofinish_site* own = &site;
  State& state = state_of(own);
  const std::uint64_t end =
      row.begin + (row.rows - 1) * static_cast<std::uint64_t>(row.stride) + row.bytes;
  if (!reach.touches(row.begin, end, state.last)) return;
  if (state.interval != interval_) enter(state, row.call, pc, frame);
  const bool same = state.begin == row.begin && state.bytes == row.bytes &&
                    state.rows == row.rows && state.stride == row.stride;
  if (same || (row.rows == 1 && state.scattered == nullptr && grow(state, row.begin, row.bytes)))
    return;
  const std::uint64_t numbers = row.begin | row.bytes | static_cast<std::uint64_t>(row.stride);
  const unsigned unit = static_cast<unsigned>(std::min(3, std::countr_zero(numbers)));
  if (scatter(state, *own, row.begin, end, unit, std::uint64_t{1} << unit) &&
      state.scattered->fits(numbers)) {
    for (std::uint64_t i = 0, begin = row.begin; i < row.rows;
         ++i, begin += static_cast<std::uint64_t>(row.stride))
      state.scattered->add_range(begin, begin + row.bytes);
  } else if (row.rows > 1 || !grow(state, row.begin, row.bytes)) {
    begin_row(state, row);
  }
}

bool AccessBuffer::indices(photofinish_index& index, const void* first, std::uint64_t times) {
  return indices_.try_emplace(&index, index).first->second.read(first, times);
}

void AccessBuffer::gather(const Reach& reach, photofinish_site& site, photofinish_index& index,
                          std::uint64_t base, const Pattern::Key& key, Call call, std::uint64_t pc,
                          std::uint64_t frame) {
  const std::shared_ptr<const Pattern>& pattern = indices_.at(&index).pattern(key);
  const Reach::Part part = reach.part(base + pattern->low, base + pattern->high);
  if (part == Reach::Part::None) return;
  if (part == Reach::Part::Some) {
    for (const Pattern::Row& one : pattern->rows)
      row(reach, site,
          {{}, call, base + one.begin, one.bytes, one.rows, static_cast<std::int64_t>(one.stride)},
          pc, frame);
    return;
  }
  photofinish_site* own = &site;
  State& state = state_of(own);
  if (state.interval != interval_) enter(state, call, pc, frame);
  State::Gathered gathered{pattern, base};
  if (std::find(state.gathered.begin(), state.gathered.end(), gathered) != state.gathered.end())
    return;
  if (state.gathered.size() == kGatheredMost) {
    take_gathered(state);
    if (rows_.size() >= compact_at_) compact();
  }
  state.gathered.push_back(std::move(gathered));
}

// Sorts the rows, and joins adjacent ones.
void AccessBuffer::compact() {
  const auto key = [](const AccessRow& row) {
    return std::tuple(row.site.value, row.call, row.rows > 1, row.bytes * (row.rows > 1),
                      row.stride, row.begin);
  };
  std::sort(rows_.begin(), rows_.end(),
            [&](const AccessRow& a, const AccessRow& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const AccessRow& row : rows_) {
    AccessRow* last = kept > 0 ? &rows_[kept - 1] : nullptr;
    if (last != nullptr && last->site == row.site && last->call == row.call &&
        last->rows == row.rows) {
      if (row.rows == 1 && row.begin <= last->begin + last->bytes) {
        last->bytes = std::max(last->bytes, row.begin + row.bytes - last->begin);
        continue;
      }
      if (row.rows > 1 && row.begin == last->begin && row.bytes == last->bytes &&
          row.stride == last->stride)
        continue;
    }
    rows_[kept++] = row;
  }
  rows_.resize(kept);
  compact_at_ = std::max<std::size_t>(1 << 12, 2 * kept);
}

// Converts evenly spaced bits back to rows.
void AccessBuffer::take_scattered(State& state) {
  std::uint64_t begin = 0, bytes = 0, rows = 0, stride = 0;
  state.scattered->take([&](std::uint64_t from, std::uint64_t to) {
    if (rows != 0 && to - from == bytes && (rows == 1 || from == begin + rows * stride)) {
      if (rows++ == 1) stride = from - begin;
      return;
    }
    push(state, begin, bytes, rows, static_cast<std::int64_t>(stride));
    begin = from;
    bytes = to - from;
    rows = 1;
  });
  push(state, begin, bytes, rows, static_cast<std::int64_t>(stride));
}

void AccessBuffer::take_gathered(State& state) {
  for (const State::Gathered& gathered : state.gathered)
    for (const Pattern::Row& row : gathered.pattern->rows)
      push(state, gathered.base + row.begin, row.bytes, row.rows,
           static_cast<std::int64_t>(row.stride));
  state.gathered.clear();
}

void AccessBuffer::keep_bits() {
  lends_bits_ = false;
  for (photofinish_site* site : lent_) site->thread = 0;
  lent_.clear();
}

std::vector<AccessRow>& AccessBuffer::take() {
  for (State* state : growing_) finish(*state);
  for (State* state : growing_)
    if (state->gathered.size() > 1) take_gathered(*state);
  compact();
  // If the rows are already in order, with one per site, sorting is not needed.
  for (State* state : growing_) take_gathered(*state);
  for (State* state : growing_)
    if (state->scattered != nullptr) take_scattered(*state);
  growing_.clear();
  ++interval_;
  compact_at_ = 1 << 12;
  return rows_;
}

}  // namespace photofinish
