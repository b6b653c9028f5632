#include "explain/group_execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace photofinish {
namespace {

using group::Cell;
using group::Event;
using group::EventId;
using group::kNone;

constexpr std::size_t kMaxAccesses = 2'000'000;
constexpr std::size_t kNoIndex = ~std::size_t{0};
constexpr std::size_t kMaxElements = 64;  // of an update: larger ones are one cell

// --- cells

struct Bytes {
  std::uint32_t memory = 0;
  std::uint64_t begin = 0, end = 0;
};

class Cells {
 public:
  explicit Cells(const GroupAccesses& accesses) {
    for (const Reading& reading : accesses.readings)
      for (const Contents& piece : reading.pieces) add(piece, 0);
    for (std::size_t i = 0; i < accesses.writings.size(); ++i)
      for (const Contents& piece : accesses.writings[i].pieces)
        add(piece, accesses.writings[i].is_update ? accesses.writers[i].element.size : 0);
    for (auto& [memory, borders] : borders_) {
      std::sort(borders.begin(), borders.end());
      borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    }
    for (const Reading& reading : accesses.readings)
      for (const Contents& piece : reading.pieces)
        each_range(piece, [&](std::uint64_t begin, std::uint64_t end) {
          const auto cell = static_cast<Cell>(bytes_.size());
          if (numbers_.try_emplace({piece.memory, begin}, cell).second)
            bytes_.push_back({piece.memory, begin, end});
        });
  }

  // The cells of the piece that some rank reads, with their contents.
  template <class Visit>
  void each(const Contents& piece, Visit visit) const {
    each_range(piece, [&](std::uint64_t begin, std::uint64_t end) {
      if (const auto cell = numbers_.find({piece.memory, begin}); cell != numbers_.end())
        visit(cell->second, piece.content.substr(begin - piece.begin, end - begin));
    });
  }
  std::size_t size() const { return bytes_.size(); }
  const Bytes& operator[](Cell cell) const { return bytes_[cell]; }

 private:
  void add(const Contents& piece, std::size_t element) {
    std::vector<std::uint64_t>& borders = borders_[piece.memory];
    borders.push_back(piece.begin);
    borders.push_back(piece.begin + piece.content.size());
    if (element != 0 && piece.content.size() / element <= kMaxElements)
      for (std::size_t at = element; at < piece.content.size(); at += element)
        borders.push_back(piece.begin + at);
  }

  template <class Visit>
  void each_range(const Contents& piece, Visit visit) const {
    const std::vector<std::uint64_t>& borders = borders_.at(piece.memory);
    const std::uint64_t end = piece.begin + piece.content.size();
    for (auto at = std::lower_bound(borders.begin(), borders.end(), piece.begin);
         at != borders.end() && *at < end; ++at)
      visit(*at, *std::next(at));
  }

  std::map<std::uint32_t, std::vector<std::uint64_t>> borders_;  // by memory
  std::map<std::pair<std::uint32_t, std::uint64_t>, Cell> numbers_;
  std::vector<Bytes> bytes_;
};

// --- the accesses of each cell

struct CellAccess {
  std::size_t reading = kNoIndex, writing = kNoIndex;  // both: one atomic step
  std::string read, written;
};

std::int64_t number_of(const std::string& content) {
  std::uint64_t bits = 0;
  const std::size_t size = std::min(content.size(), sizeof bits);
  std::memcpy(&bits, content.data(), size);
  const int shift = 64 - 8 * static_cast<int>(size);
  return size == 0 ? 0 : static_cast<std::int64_t>(bits << shift) >> shift;
}

std::string value_text(const std::string& content) {
  if (content.size() > sizeof(std::uint64_t)) return fmt::format("{} bytes", content.size());
  std::uint64_t bits = 0;
  std::memcpy(&bits, content.data(), content.size());
  return fmt::format("0x{:x}", bits);
}

// --- the sequence of a rank

// An event in the order of the trace: synchronization and completion of the event's call, then the
// operations that it issues, then stores and loads before the next call.
struct Item {
  enum Phase : std::uint8_t { kInitial, kSync, kIssue, kStore, kLoad };
  std::uint64_t at = 0;  // the event of the trace
  Phase phase{};
  std::uint64_t turn = 0;  // order within a phase
  Event event = {};
  EventLabel text = {};
  std::uint64_t completed = kForever;  // of an operation
  bool ordered = false;                // an operation that follows earlier ones to its cell
  std::vector<std::uint64_t> releases, acquires;  // keys
};

class Maker {
 public:
  Maker(const std::vector<RecordedRank>& group, const GroupAccesses& accesses)
      : group_(group), accesses_(accesses), cells_(accesses) {}

  Result<GroupExecution> make() {
    for (const RecordedRank& rank : group_) {
      number_[rank.rank] = static_cast<std::uint32_t>(result_.ranks.size());
      result_.ranks.push_back(rank.rank);
    }
    items_.resize(group_.size());
    for (const std::vector<AccessEnd>* ends : {&accesses_.readers, &accesses_.writers})
      for (const AccessEnd& end : *ends)
        if (end.completed != kForever) completing_[end.end.rank].insert(end.completed);
    for (const RecordedRank& rank : group_) add_synchronization(rank);
    if (!collect())
      return Error{fmt::format("cannot search for a group: more than {} accesses", kMaxAccesses)};
    for (Cell cell = 0; cell < cells_.size(); ++cell) add_accesses(cell);
    for (std::uint32_t rank = 0; rank < items_.size(); ++rank) put_in_order(rank);
    connect();
    return std::move(result_);
  }

 private:
  std::vector<Item>& items_of(WorldRank rank) { return items_[number_.at(rank)]; }

  // --- synchronization

  void add_synchronization(const RecordedRank& rank) {
    // For each event of the trace: what it releases, then what it acquires.
    std::map<std::pair<std::uint64_t, bool>, Item> items;
    const auto item = [&](const auto& position, bool acquires) -> Item& {
      Item& item = items[{position.event, acquires != is_scan(position.call)}];
      item.at = position.event;
      item.phase = Item::kSync;
      item.turn = acquires != is_scan(position.call) ? 1 : 0;
      return item;
    };
    for (const MessagePosition& send : rank.sent) {
      Item& released = item(send, false);
      released.releases.push_back(send.key);
      released.text.what = names_.call(rank, send.call, send.site);
      with_data_.insert(send.key);
    }
    for (const SyncPosition& position : rank.released) {
      Item& released = item(position, false);
      released.releases.push_back(position.key);
      if (!position.data) continue;
      released.text.what = names_.call(rank, position.call, position.site);
      with_data_.insert(position.key);
    }
    for (const MessagePosition& receive : rank.received) {
      if (receive.key == 0) continue;
      Item& acquired = item(receive, true);
      acquired.acquires.push_back(receive.key);
      acquired.text.what = names_.call(rank, receive.call, receive.site);
    }
    for (const SyncPosition& position : rank.acquired) {
      Item& acquired = item(position, true);
      acquired.acquires.push_back(position.key);
      if (acquired.text.what.empty() && is_data_collective(position.call))
        acquired.text.what = names_.call(rank, position.call, position.site);
    }
    // Calls that complete one-sided operations.
    for (const std::uint64_t event : completing_[rank.rank]) {
      Item& point = items[{event, false}];
      point.at = event;
      point.phase = Item::kSync;
    }
    for (auto& [key, one] : items) {
      if (one.at < rank.times.size())
        one.event.time = key.second ? rank.times[one.at].end : rank.times[one.at].start;
      items_of(rank.rank).push_back(std::move(one));
    }
  }

  // A scan acquires from lower ranks before it releases to higher ones.
  static bool is_scan(Call call) {
    return traits(call).action == Action::Scan || traits(call).action == Action::Exscan;
  }
  static bool is_data_collective(Call call) {
    return traits(call).action != Action::Barrier && traits(call).action <= Action::Exscan &&
           traits(call).action >= Action::Bcast;
  }

  // --- accesses

  bool collect() {
    by_cell_.resize(cells_.size());
    std::size_t count = 0;
    std::map<std::size_t, std::map<Cell, std::size_t>> own;  // by writing: its atomic steps
    for (std::size_t i = 0; i < accesses_.readings.size(); ++i)
      for (const Contents& piece : accesses_.readings[i].pieces)
        cells_.each(piece, [&](Cell cell, const std::string& content) {
          if (accesses_.readings[i].own < accesses_.writings.size())
            own[accesses_.readings[i].own][cell] = by_cell_[cell].size();
          by_cell_[cell].push_back({.reading = i, .read = content, .written = {}});
          ++count;
        });
    for (std::size_t i = 0; i < accesses_.writings.size() && count < kMaxAccesses; ++i) {
      const auto steps = own.find(i);
      for (const Contents& piece : accesses_.writings[i].pieces)
        cells_.each(piece, [&](Cell cell, const std::string& content) {
          ++count;
          if (steps != own.end())
            if (const auto step = steps->second.find(cell); step != steps->second.end()) {
              by_cell_[cell][step->second].writing = i;
              by_cell_[cell][step->second].written = content;
              return;
            }
          by_cell_[cell].push_back({.writing = i, .read = {}, .written = content});
        });
    }
    return count < kMaxAccesses;
  }

  // Sums of integers can be computed; other updates may leave any value.
  bool is_sum(const CellAccess& access, Cell cell) const {
    const AccessEnd& end = accesses_.writers[access.writing];
    const bool integer =
        end.element.kind == ElementKind::Integer || end.element.kind == ElementKind::Unsigned;
    return end.op == ReduceOp::Sum && integer &&
           end.element.size == cells_[cell].end - cells_[cell].begin;
  }

  bool updates(const CellAccess& access) const {
    return access.writing != kNoIndex && accesses_.writings[access.writing].is_update;
  }

  std::int64_t value_of(const std::string& content, bool numeric) {
    if (numeric) return number_of(content);
    return values_.try_emplace(content, static_cast<std::int64_t>(values_.size())).first->second;
  }

  void add_accesses(Cell cell) {
    const std::vector<CellAccess>& all = by_cell_[cell];
    bool numeric = false;
    for (const CellAccess& access : all)
      numeric = numeric || (updates(access) && is_sum(access, cell));
    for (const CellAccess& access : all)
      numeric = numeric && (!updates(access) || is_sum(access, cell));
    const WorldRank owner = accesses_.owners[cells_[cell].memory];
    for (const CellAccess& access : all) {
      const bool reads = access.reading != kNoIndex, writes = access.writing != kNoIndex;
      const AccessEnd& end =
          reads ? accesses_.readers[access.reading] : accesses_.writers[access.writing];
      Item item{.at = end.end.event, .phase = Item::kIssue, .completed = end.completed};
      item.event.cell = cell;
      item.event.pending = true;
      item.text = {end.end.what, value_text(reads ? access.read : access.written), owner};
      if (reads) {
        item.event.reads = value_of(access.read, numeric);
        item.event.time = accesses_.readings[access.reading].when.end;
        item.turn = access.reading;
      }
      if (writes) {
        item.event.write = !updates(access) ? Event::Write::Set
                           : numeric        ? Event::Write::Add
                                            : Event::Write::Any;
        if (item.event.write != Event::Write::Any)
          item.event.operand = value_of(access.written, numeric);
        item.event.time = accesses_.writings[access.writing].when.start;
        item.turn = access.writing;
        if (item.event.write == Event::Write::Add)
          item.text.value = fmt::format("+{}", item.text.value);
      }
      if (end.kind == AccessEnd::Kind::Store) item.phase = Item::kStore;
      if (end.kind == AccessEnd::Kind::Load) item.phase = Item::kLoad;
      item.ordered = end.op != ReduceOp::None;
      items_of(end.end.rank).push_back(std::move(item));
    }
    add_earlier_values(cell, owner, numeric);
  }

  // Values that no rank wrote in time. The first is the initial one.
  void add_earlier_values(Cell cell, WorldRank owner, bool numeric) {
    std::vector<const CellAccess*> reads;
    std::uint64_t first_set = kForever, first_update = kForever;
    for (const CellAccess& access : by_cell_[cell]) {
      if (access.reading != kNoIndex) reads.push_back(&access);
      if (access.writing == kNoIndex) continue;
      const TimeSpan& when = accesses_.writings[access.writing].when;
      if (updates(access))
        first_update = std::min(first_update, when.end);
      else
        first_set = std::min(first_set, when.start);
    }
    const auto when = [&](const CellAccess* read) {
      return accesses_.readings[read->reading].when.end;
    };
    std::stable_sort(reads.begin(), reads.end(),
                     [&](const CellAccess* a, const CellAccess* b) { return when(a) < when(b); });
    std::set<std::string> earlier;
    const auto add = [&](Event::Write write, const std::string& content) {
      Item item{.phase = Item::kInitial, .turn = earlier.size()};
      item.event.cell = cell;
      item.event.pending = true;
      item.event.write = write;
      item.event.initial = earlier.empty();
      item.text = {earlier.empty() ? "initial contents" : "a store that was not seen",
                   content.empty() ? "" : value_text(content), owner};
      if (!content.empty()) item.event.operand = value_of(content, numeric);
      items_of(owner).push_back(std::move(item));
      earlier.insert(content);
    };
    for (const CellAccess* read : reads) {
      if (earlier.contains(read->read)) continue;
      if (std::none_of(by_cell_[cell].begin(), by_cell_[cell].end(), [&](const CellAccess& other) {
            return other.writing != kNoIndex && &other != read &&
                   (updates(other) || other.written == read->read) &&
                   accesses_.writings[other.writing].when.start <= when(read);
          }))
        add(Event::Write::Set, read->read);
    }
    if (numeric && earlier.empty() && first_update < first_set) add(Event::Write::Any, "");
  }

  // --- sequences

  void put_in_order(std::uint32_t rank) {
    std::vector<Item>& items = items_[rank];
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return std::tuple(a.phase != Item::kInitial, a.at, a.phase, !a.event.initial, a.turn) <
             std::tuple(b.phase != Item::kInitial, b.at, b.phase, !b.event.initial, b.turn);
    });
    // Loads of one cell are in program order; those of several are one access.
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto same = [&](std::size_t j) {
        return j < items.size() && items[j].phase == Item::kLoad && items[j].at == items[i].at &&
               items[j].turn == items[i].turn;
      };
      if (items[i].phase == Item::kLoad)
        items[i].event.pending = same(i + 1) || (i > 0 && same(i - 1));
      if (items[i].phase == Item::kSync) items[i].event.pending = false;
    }
    set_ends(items);
    std::vector<Event>& events = result_.execution.ranks.emplace_back();
    std::vector<EventLabel>& texts = result_.texts.emplace_back();
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      for (const std::uint64_t key : items[i].releases) released_[key].push_back({rank, i});
      for (const std::uint64_t key : items[i].acquires) acquired_[key].push_back({rank, i});
      events.push_back(items[i].event);
      texts.push_back(std::move(items[i].text));
    }
  }

  static void set_ends(std::vector<Item>& items) {
    std::vector<std::uint32_t> points;
    for (std::uint32_t i = 0; i < items.size(); ++i)
      if (!items[i].event.pending) points.push_back(i);
    std::uint32_t last_store = kNone;
    std::unordered_map<Cell, std::uint32_t> last_update;
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      Item& item = items[i];
      if (!item.event.pending) continue;
      const auto later = [&](auto reached) {
        for (auto point = std::upper_bound(points.begin(), points.end(), i); point != points.end();
             ++point)
          if (reached(items[*point])) return *point;
        return kNone;
      };
      switch (item.phase) {
        case Item::kIssue:
          if (item.completed != kForever)
            item.event.until = later([&](const Item& point) {
              return point.phase == Item::kSync && point.at >= item.completed;
            });
          if (!item.ordered) break;
          if (const auto last = last_update.find(item.event.cell); last != last_update.end())
            item.event.after = last->second;
          last_update[item.event.cell] = i;
          break;
        case Item::kStore:
          item.event.until = later([&](const Item& point) { return point.at > item.at; });
          if (i > 0 && last_store != kNone && items[last_store].turn == item.turn)
            item.event.after = items[last_store].event.after;  // one store, of several cells
          else
            item.event.after = last_store;
          last_store = i;
          break;
        case Item::kLoad:
          item.event.until = later([](const Item&) { return true; });
          break;
        default:
          break;
      }
    }
  }

  void connect() {
    for (auto& [key, releases] : released_) {
      const auto acquires = acquired_.find(key);
      if (acquires == acquired_.end()) continue;
      result_.execution.syncs.push_back(
          {std::move(releases), std::move(acquires->second), with_data_.contains(key)});
    }
  }

  const std::vector<RecordedRank>& group_;
  const GroupAccesses& accesses_;
  const Cells cells_;
  CallNames names_;
  std::map<WorldRank, std::uint32_t> number_;
  std::map<WorldRank, std::set<std::uint64_t>> completing_;  // events
  std::vector<std::vector<Item>> items_;                     // by rank
  std::vector<std::vector<CellAccess>> by_cell_;
  std::unordered_map<std::string, std::int64_t> values_;
  std::set<std::uint64_t> with_data_;  // keys
  std::map<std::uint64_t, std::vector<EventId>> released_, acquired_;
  GroupExecution result_;
};

}  // namespace

Result<GroupExecution> make_execution(const std::vector<RecordedRank>& group,
                                      const GroupAccesses& accesses) {
  return Maker(group, accesses).make();
}

}  // namespace photofinish
