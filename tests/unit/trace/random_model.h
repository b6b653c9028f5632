// Random events and definitions that a rank could have recorded, including extreme numbers.
#pragma once

#include <random>
#include <string>

#include "model/definitions.h"
#include "model/event.h"

namespace photofinish::testing {

class RandomModel {
 public:
  explicit RandomModel(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  bool chance(std::uint64_t in) { return below(in) == 0; }

  // Small numbers, large ones, and every power of two with its neighbors.
  std::uint64_t number() {
    if (chance(3)) return below(200);
    const std::uint64_t power = std::uint64_t{1} << below(64);
    return power + below(5) - 2;
  }
  std::int64_t signed_number() {
    return static_cast<std::int64_t>(chance(2) ? number() : ~number());
  }
  template <class Id>
  Id id() {
    return Id(static_cast<decltype(Id::value)>(number()));
  }
  std::string text() {
    std::string made(chance(20) ? below(3000) : below(20), ' ');
    for (char& c : made) c = static_cast<char>(below(256));
    return made;
  }
  template <class Make>
  auto list(Make make) {
    std::vector<decltype(make())> made;
    for (std::uint64_t left = chance(4) ? 0 : chance(20) ? below(500) : below(5); left > 0; --left)
      made.push_back(make());
    return made;
  }
  WorldRank world_rank(int world_size) {
    return WorldRank(static_cast<std::int32_t>(below(static_cast<std::uint64_t>(world_size) + 4)) -
                     4);
  }

  Event event() {
    Event made;
    made.call = static_cast<Call>(below(call_count()));
    made.site = id<SiteId>();
    made.duration = number() >> 1;  // less than a thousand years
    made.result = static_cast<std::int32_t>(signed_number());
    for (std::size_t i = 0; i < kFieldCount; ++i)
      if (chance(4)) made.fields.set(static_cast<Field>(i), signed_number());
    // Requests are numbered from 1.
    if (made.fields.has(Field::request))
      made.fields.set(Field::request, static_cast<std::int64_t>(number() >> 2));
    made.buffers = list([&] {
      return Buffer{static_cast<BufferUse>(below(kBufferUses)), number(), signed_number(),
                    id<TypeId>()};
    });
    made.requests = list([&] { return RequestId(number() >> 2); });
    made.numbers = list([&] { return signed_number(); });
    for (std::size_t i = 0; i < made.requests.size(); ++i)
      if (chance(2))
        made.completions.push_back({static_cast<std::uint32_t>(i),
                                    WorldRank(static_cast<std::int32_t>(signed_number())),
                                    signed_number(), signed_number(), chance(2)});
    return made;
  }

  DataMap data_map() {
    DataMap made{.footprint = {},
                 .size = signed_number(),
                 .lower_bound = signed_number(),
                 .extent = signed_number()};
    made.footprint = list([&] {
      Strided strided{.offset = static_cast<std::int64_t>(below(1 << 20)) - (1 << 19),
                      .length = 1 + static_cast<std::int64_t>(below(1000)),
                      .dimensions = {}};
      std::int64_t stride = 0;
      strided.dimensions = list([&] {
        stride += static_cast<std::int64_t>(below(1 << 20));
        return Dimension{2 + static_cast<std::int64_t>(below(1 << 20)), stride};
      });
      return strided;
    });
    return made;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace photofinish::testing
