#include "explain/writers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace photofinish {
namespace {

constexpr std::uint64_t kGrain = 8;  // bytes that are looked up together
constexpr int kBeyond = 1000;

// A piece of a writing that overlaps a grain.
struct Piece {
  std::size_t writing;
  const Contents* piece;
};

// The pieces in the order in which their writings began, and the borders between them inside the
// grain, as bits.
struct Grain {
  std::vector<Piece> pieces;
  std::uint32_t borders = 0;
  void add(std::uint64_t begin, const Piece& piece) {
    pieces.push_back(piece);
    for (const std::uint64_t at :
         {piece.piece->begin, piece.piece->begin + piece.piece->content.size()})
      if (begin < at && at < begin + kGrain) borders |= 1u << (at - begin);
  }
};

struct GrainHash {
  std::size_t operator()(const std::pair<std::uint32_t, std::uint64_t>& grain) const {
    return (grain.second * 31 + grain.first) * 0x9e3779b97f4a7c15ull;
  }
};

class Finder {
 public:
  explicit Finder(const std::vector<Writing>& writings) : writings_(writings) {
    std::vector<std::size_t> order(writings.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return writings[a].when.start < writings[b].when.start;
    });
    for (const std::size_t index : order)
      for (const Contents& piece : writings[index].pieces)
        for (std::uint64_t grain = piece.begin / kGrain;
             grain * kGrain < piece.begin + piece.content.size(); ++grain)
          grains_[{piece.memory, grain}].add(grain * kGrain, {index, &piece});
  }

  std::vector<Origin> origins_of(const Reading& reading) const {
    std::map<std::tuple<std::size_t, bool>, std::uint64_t> found;
    for (const Contents& piece : reading.pieces)
      for (std::uint64_t at = piece.begin, end = piece.begin + piece.content.size(); at < end;) {
        const std::uint64_t next = std::min(end, (at / kGrain + 1) * kGrain);
        add_origins(reading, piece, at, next, found);
        at = next;
      }
    std::vector<Origin> origins;
    for (const auto& [who, bytes] : found)
      origins.push_back({std::get<0>(who), bytes, std::get<1>(who)});
    return origins;
  }

 private:
  using Found = std::map<std::tuple<std::size_t, bool>, std::uint64_t>;

  // Adds the origins of the bytes from `begin` to `end`, which lie in one grain: as a whole if one
  // write covers them, otherwise by part.
  void add_origins(const Reading& reading, const Contents& read, std::uint64_t begin,
                   std::uint64_t end, Found& found) const {
    const auto add = [&](const Origin& origin, std::uint64_t bytes) {
      found[{origin.writing, origin.unexplained}] += bytes;
    };
    const auto list = grains_.find({read.memory, begin / kGrain});
    if (list == grains_.end()) return add({}, end - begin);
    const Grain& grain = list->second;
    const Origin whole = origin_of(reading, read, begin, end, grain.pieces);
    const std::uint64_t first = begin / kGrain * kGrain;
    const auto is_sync_point = [&](std::uint64_t at) {
      return (grain.borders >> (at - first) & 1) != 0;
    };
    std::uint64_t next = begin + 1;
    while (next < end && !is_sync_point(next)) ++next;
    if (whole.writing != Origin::kElsewhere || next == end) return add(whole, end - begin);
    for (; begin < end; begin = next) {
      for (next = begin + 1; next < end && !is_sync_point(next);) ++next;
      add(origin_of(reading, read, begin, next, grain.pieces), next - begin);
    }
  }

  Origin origin_of(const Reading& reading, const Contents& read, std::uint64_t begin,
                   std::uint64_t end, const std::vector<Piece>& pieces) const {
    std::size_t update = Origin::kElsewhere;
    std::uint64_t overwritten_from = 0;  // writes that ended before this are overwritten
    bool would_fit = false;
    int beyond = 0;
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
      const Writing& writing = writings_[piece->writing];
      if (piece->writing == reading.own) continue;
      const Contents& written = *piece->piece;
      const std::uint64_t written_end = written.begin + written.content.size();
      if (written.begin >= end || written_end <= begin) continue;
      const bool covers = written.begin <= begin && end <= written_end;
      const bool possible =
          writing.when.start <= reading.when.end && writing.when.end >= overwritten_from;
      if (writing.is_update) {
        if (covers && possible && update == Origin::kElsewhere) update = piece->writing;
      } else if (covers && written.content.compare(begin - written.begin, end - begin, read.content,
                                                   begin - read.begin, end - begin) == 0) {
        if (possible) return {.writing = piece->writing};
        would_fit = true;
      }
      if (writing.when.end < reading.when.start)
        overwritten_from = std::max(overwritten_from, writing.when.start);
      // No earlier write is possible. The search for one that would fit is limited.
      if (overwritten_from != 0 && (update != Origin::kElsewhere || ++beyond > kBeyond)) break;
    }
    return {.writing = update, .unexplained = update == Origin::kElsewhere && would_fit};
  }

  const std::vector<Writing>& writings_;
  std::unordered_map<std::pair<std::uint32_t, std::uint64_t>, Grain, GrainHash> grains_;
};

}  // namespace

std::vector<std::vector<Origin>> find_origins(const std::vector<Reading>& readings,
                                              const std::vector<Writing>& writings) {
  const Finder finder(writings);
  std::vector<std::vector<Origin>> origins;
  for (const Reading& reading : readings) origins.push_back(finder.origins_of(reading));
  return origins;
}

}  // namespace photofinish
