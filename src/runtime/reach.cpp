#include "runtime/reach.h"

#include <algorithm>
#include <cstring>

#include "model/call.h"
#include "runtime/notes.h"

namespace photofinish {
namespace {

constexpr std::uint64_t kPage = 1 << PHOTOFINISH_PAGE_BITS;

// An access that begins up to PHOTOFINISH_SPAN bytes before open memory may reach it.
std::uint64_t first_page(std::uint64_t begin) {
  return (begin - std::min<std::uint64_t>(begin, PHOTOFINISH_SPAN)) / kPage;
}
std::uint64_t last_page(std::uint64_t end) { return (end - 1) / kPage; }

constexpr std::int64_t kSeveralTargets = -2;

bool is_one_sided(Action action) {
  return action == Action::Put || action == Action::Get || action == Action::Accumulate ||
         action == Action::GetAccumulate || action == Action::FetchAndOp ||
         action == Action::CompareAndSwap;
}

}  // namespace

constinit std::atomic<Reach*> Reach::instance_{nullptr};

Reach::Reach() : pages_(PHOTOFINISH_GATE_SIZE) {}

void Reach::start(const Hooks& hooks) {
  static Reach reach;
  reach.hooks_ = hooks;
  reach.find_objects();
  if (!reach.objects_.empty()) instance_ = &reach;
}

// Includes objects that were loaded since the last call.
void Reach::find_objects() {
  std::vector<photofinish_state*> found;
  for (void* state : noted(PHOTOFINISH_ABI))
    found.push_back(static_cast<photofinish_state*>(state));
  for (photofinish_state* state : found) {
    if (std::find(objects_.begin(), objects_.end(), state) != objects_.end()) continue;
    state->access = hooks_.access;
    state->range = hooks_.range;
    state->indices = hooks_.indices;
    state->gather = hooks_.gather;
    state->loaded = hooks_.loaded;
    state->stored = hooks_.stored;
    state->ahead = hooks_.ahead;
    state->behind = hooks_.behind;
    state->check = hooks_.check;
    state->synchronize = hooks_.synchronize;
    state->region = hooks_.region;
    state->atomic = hooks_.atomic;
    show(*state);
  }
  objects_ = std::move(found);
}

void Reach::show(photofinish_state& state) const {
  const bool everything = everything_ != 0 && !lifted_;
  if (everything || lifted_)
    std::memset(state.gate, everything ? 1 : 0, sizeof state.gate);
  else
    for (std::size_t slot = 0; slot < pages_.size(); ++slot) state.gate[slot] = pages_[slot] != 0;
  state.low = lifted_ || everything ? 0 : low_;
  state.high = lifted_ ? 0 : everything ? ~std::uint64_t{0} : high_;
}

void Reach::lift(bool lifted) {
  std::unique_lock lock(mutex_);
  lifted_ = lifted;
  for (photofinish_state* state : objects_) show(*state);
}

void Reach::rest(bool rests) {
  std::unique_lock lock(mutex_);
  if (lifted_ || everything_ != 0) return;
  for (photofinish_state* state : objects_) {
    state->low = rests ? 0 : low_;
    state->high = rests ? 0 : high_;
  }
}

void Reach::watch_everything(bool on) {
  std::unique_lock lock(mutex_);
  const bool before = everything_ != 0;
  everything_ += on ? 1 : -1;
  if (before == (everything_ != 0)) return;
  version_.fetch_add(1, std::memory_order_release);
  for (photofinish_state* state : objects_) show(*state);
}

void Reach::stop() {
  std::unique_lock lock(mutex_);
  instance_ = nullptr;
  lifted_ = true;
  for (photofinish_state* state : objects_) show(*state);
}

void Reach::show_seen(const photofinish_seen& seen) {
  seen_thread_ = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  for (photofinish_state* state : objects_) {
    state->seen[(seen.begin >> PHOTOFINISH_PAGE_BITS) % PHOTOFINISH_SEEN_SIZE] = seen;
    state->seen_thread = seen_thread_;
  }
}

void Reach::forget_seen() {
  seen_thread_ = 0;
  for (photofinish_state* state : objects_) {
    state->seen_thread = 0;
    std::memset(state->seen, 0, sizeof state->seen);
  }
}

void Reach::mark(std::uint64_t first_page, std::uint64_t last_page, bool on) {
  for (std::uint64_t page = first_page;
       page <= last_page && page - first_page < PHOTOFINISH_GATE_SIZE; ++page) {
    std::uint32_t& count = pages_[page % PHOTOFINISH_GATE_SIZE];
    count += on ? 1 : -1;
    if (count != (on ? 1u : 0u) || lifted_ || everything_ != 0) continue;
    for (photofinish_state* state : objects_) state->gate[page % PHOTOFINISH_GATE_SIZE] = on;
  }
}

// Increments or decrements the count of a range. Ranges with equal counts are merged: pending
// buffers are often adjacent.
void Reach::change(Bytes bytes, bool opens) {
  cover_.try_emplace(0, 0);
  const auto split = [&](std::uint64_t at) {
    return cover_.try_emplace(at, std::prev(cover_.upper_bound(at))->second).first;
  };
  const auto first = split(bytes.begin), end = split(bytes.end);
  for (auto piece = first; piece != end; ++piece) piece->second += opens ? 1 : -1;
  for (const auto& border : {first, end})
    if (border != cover_.begin() && std::prev(border)->second == border->second)
      cover_.erase(border);
  version_.fetch_add(1, std::memory_order_release);
}

// The bounds of what is reachable now. Without reachable memory both are zero, and the program
// enters its copies without tests.
void Reach::set_bounds() {
  const auto first = std::find_if(cover_.begin(), cover_.end(),
                                  [](const auto& piece) { return piece.second != 0; });
  low_ = first != cover_.end() ? first->first : 0;
  high_ = first != cover_.end() ? std::prev(cover_.end())->first : 0;
  if (lifted_ || everything_ != 0) return;
  for (photofinish_state* state : objects_) {
    state->low = low_;
    state->high = high_;
  }
}

void Reach::open(Bytes bytes) {
  if (bytes.begin >= bytes.end) return;
  change(bytes, true);
  mark(first_page(bytes.begin), last_page(bytes.end), true);
  set_bounds();
}

// Extends an open range; usually this moves one border.
void Reach::extend(Bytes& open, std::uint64_t end) {
  const auto border = cover_.find(open.end);
  if (const auto next = border != cover_.end() ? std::next(border) : border;
      border != cover_.end() && std::prev(border)->second == border->second + 1 &&
      (next == cover_.end() || next->first > end)) {
    auto node = cover_.extract(border);
    node.key() = end;
    cover_.insert(next, std::move(node));
    version_.fetch_add(1, std::memory_order_release);
  } else {
    change({open.end, end}, true);
  }
  mark(last_page(open.end) + 1, last_page(end), true);
  open.end = end;
  set_bounds();
}

void Reach::close(Bytes bytes) {
  if (bytes.begin >= bytes.end) return;
  change(bytes, false);
  mark(first_page(bytes.begin), last_page(bytes.end), false);
  set_bounds();
}

bool Reach::look_up(std::uint64_t begin, std::uint64_t end, Piece& last) const {
  std::shared_lock lock(mutex_);
  if (everything_ != 0) {
    last = {0, ~std::uint64_t{0}, version_.load(std::memory_order_relaxed), true};
    return true;
  }
  if (cover_.empty()) return false;
  const auto next = cover_.upper_bound(begin);
  const auto piece = std::prev(next);
  last = {piece->first, next != cover_.end() ? next->first : ~std::uint64_t{0},
          version_.load(std::memory_order_relaxed), piece->second != 0};
  if (end <= last.end) return last.reachable;
  for (auto at = piece; at != cover_.end() && at->first < end; ++at)
    if (at->second != 0) return true;
  return false;
}

Reach::Part Reach::part(std::uint64_t begin, std::uint64_t end) const {
  std::shared_lock lock(mutex_);
  if (everything_ != 0) return Part::All;
  if (cover_.empty()) return Part::None;
  bool some = false, all = true;
  for (auto at = std::prev(cover_.upper_bound(begin)); at != cover_.end() && at->first < end; ++at)
    (at->second != 0 ? some : all) = at->second != 0;
  return all ? Part::All : some ? Part::Some : Part::None;
}

void Reach::close_requests(const Event& event) {
  const auto close_one = [&](RequestId id) {
    const auto found = requests_.find(id.value);
    if (found == requests_.end()) return;
    for (const Bytes& bytes : found->second) close(bytes);
    requests_.erase(found);
  };
  if (!freed_.empty() && may_learn(event)) {
    for (const Bytes& bytes : freed_) close(bytes);
    freed_.clear();
    has_freed_.store(false, std::memory_order_relaxed);
  }
  const Action action = traits(event.call).action;
  if (action == Action::RequestFree) {
    for (const RequestId id : event.requests) {
      persistent_.erase(id.value);
      if (const auto pending = requests_.extract(id.value))
        freed_.insert(freed_.end(), pending.mapped().begin(), pending.mapped().end());
      has_freed_.store(!freed_.empty(), std::memory_order_relaxed);
    }
    return;
  }
  for (const Completion& completion : event.completions)
    if (completion.index < event.requests.size() &&
        !persistent_.contains(event.requests[completion.index].value))
      close_one(event.requests[completion.index]);
}

void Reach::add_operation(std::int64_t win, std::int64_t target, Bytes bytes) {
  Operations& operations = operations_[win];
  const auto is_for_several = [&](std::int64_t one) {
    if (std::find(operations.targets.begin(), operations.targets.end(), one) ==
        operations.targets.end())
      operations.targets.push_back(one);
  };
  if (operations.pieces.empty() || operations.pieces.back().bytes.end != bytes.begin) {
    open(bytes);
    operations.pieces.push_back({target, bytes});
    return;
  }
  Operation& last = operations.pieces.back();
  extend(last.bytes, bytes.end);
  if (last.target == target) return;
  if (last.target != kSeveralTargets) is_for_several(last.target);
  is_for_several(target);
  last.target = kSeveralTargets;
}

void Reach::close_operations(std::int64_t win, std::int64_t target, bool all) {
  const auto found = operations_.find(win);
  if (found == operations_.end()) return;
  Operations& operations = found->second;
  if (all)
    operations.targets.clear();
  else
    std::erase(operations.targets, target);
  std::erase_if(operations.pieces, [&](const Operation& operation) {
    if (!all && operation.target != target &&
        !(operation.target == kSeveralTargets && operations.targets.empty()))
      return false;
    close(operation.bytes);
    return true;
  });
}

// From the first to the last byte of the buffer.
Reach::Bytes Reach::bytes_of(const Buffer& buffer, const Definitions& definitions) {
  Bytes bytes{buffer.address, buffer.address + static_cast<std::uint64_t>(buffer.count)};
  if (const auto type = definitions.types.find(buffer.type);
      buffer.type != TypeId(0) && type != definitions.types.end()) {
    const DataMap& map = type->second.map;
    std::int64_t low = 0, high = 0;
    for (const Strided& strided : map.footprint) {
      std::int64_t last = 0;
      for (const Dimension& dimension : strided.dimensions)
        last += (dimension.count - 1) * dimension.stride;
      low = std::min(low, strided.offset + std::min<std::int64_t>(last, 0));
      high = std::max(high, strided.offset + std::max<std::int64_t>(last, 0) + strided.length);
    }
    const std::int64_t more = (buffer.count - 1) * map.extent;
    bytes = {buffer.address + static_cast<std::uint64_t>(low + std::min<std::int64_t>(more, 0)),
             buffer.address + static_cast<std::uint64_t>(high + std::max<std::int64_t>(more, 0))};
  }
  return bytes;
}

void Reach::add_memory(std::uint64_t begin, std::uint64_t end) {
  std::unique_lock lock(mutex_);
  find_objects();  // objects loaded since then learn of it here
  open({begin, end});
}

void Reach::remove_memory(std::uint64_t begin, std::uint64_t end) {
  std::unique_lock lock(mutex_);
  close({begin, end});
}

void Reach::begin_operation(std::int64_t key, std::int64_t target, const Buffer& buffer,
                            const Definitions& definitions) {
  const Bytes bytes = bytes_of(buffer, definitions);
  if (bytes.begin >= bytes.end) return;
  std::unique_lock lock(mutex_);
  add_operation(key, target, bytes);
}

void Reach::end_operations(std::int64_t key) {
  std::unique_lock lock(mutex_);
  close_operations(key, -1, true);
}

void Reach::follow(const Event& event, const Definitions& definitions, Completes completes) {
  const CallTraits& call = traits(event.call);
  const bool has_request = event.fields.has(Field::request);
  const bool one_sided = is_one_sided(call.action);
  // The journal stores received data when the operation completes (replay/journaling.h). With
  // a `loaded` hook, only windows are opened.
  const bool opens = hooks_.loaded == nullptr &&
                     (has_request || one_sided || call.action == Action::FileSplitBegin) &&
                     !event.buffers.empty();
  const bool touches_window = event.fields.has(Field::win) || event.fields.has(Field::new_win);
  if (!opens && event.completions.empty() && call.action != Action::RequestFree &&
      !touches_window && !has_freed_.load(std::memory_order_relaxed))
    return;
  std::unique_lock lock(mutex_);
  close_requests(event);

  const std::int64_t win = event.fields.has(Field::win) ? event.fields[Field::win] : 0;
  const std::int64_t target = event.fields.has(Field::target) ? event.fields[Field::target] : -1;
  switch (call.action) {
    case Action::WinCreate: {
      find_objects();  // marks the windows in objects that were loaded later, too
      const std::int64_t made = event.fields[Field::new_win];
      const auto found = definitions.wins.find(WinId(static_cast<std::uint32_t>(made)));
      if (found == definitions.wins.end()) break;
      std::vector<Bytes>& memory = windows_[made];
      if (found->second.segments.empty())
        memory.push_back({found->second.base, found->second.base + found->second.size});
      for (const WinSegment& segment : found->second.segments)
        memory.push_back({segment.address, segment.address + segment.size});
      for (const Bytes& bytes : memory) open(bytes);
      break;
    }
    case Action::WinAttach: {
      const auto begin = static_cast<std::uint64_t>(event.fields[Field::address]);
      windows_[win].push_back(
          {begin, begin + static_cast<std::uint64_t>(event.fields[Field::size])});
      open(windows_[win].back());
      break;
    }
    case Action::WinDetach:
      std::erase_if(windows_[win], [&](const Bytes& bytes) {
        if (bytes.begin != static_cast<std::uint64_t>(event.fields[Field::address])) return false;
        close(bytes);
        return true;
      });
      break;
    case Action::WinFree:
      close_operations(win, -1, true);
      for (const Bytes& bytes : windows_[win]) close(bytes);
      windows_.erase(win);
      break;
    default:
      if (completes != Completes::Nothing)
        close_operations(win, target, completes == Completes::AllTargets);
      break;
  }
  if (!opens) return;
  if (has_request && call.when == When::Prepares)
    persistent_.insert(static_cast<std::uint64_t>(event.fields[Field::request]));
  for (const Buffer& buffer : event.buffers) {
    if (buffer.access > BufferUse::ReadWrite || buffer.count <= 0) continue;
    const Bytes bytes = bytes_of(buffer, definitions);
    if (bytes.begin >= bytes.end) continue;
    if (!has_request) {
      add_operation(win, target, bytes);
      continue;
    }
    open(bytes);
    requests_[static_cast<std::uint64_t>(event.fields[Field::request])].push_back(bytes);
  }
}

}  // namespace photofinish
