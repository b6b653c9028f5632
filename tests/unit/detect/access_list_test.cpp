// AccessList round trip: accesses are decoded as they were encoded, whatever differs between
// consecutive ones. Damaged bytes end the list and have no other effect.
#include "effects/access_list.h"

#include <gtest/gtest.h>

#include <random>

#include "detect/batch.h"
#include "trace/codec.h"

namespace photofinish {
namespace {

class RandomAccesses {
 public:
  explicit RandomAccesses(std::uint64_t seed) : random_(seed) {}

  // Most fields are unchanged, as in a loop; there are more sites than models.
  Access next() {
    Access& a = access_;
    a.begin += below(9);
    a.site = SiteId(static_cast<std::uint32_t>(chance(20) ? below(40) : below(3)));
    a.site_key = a.site.value * 77;
    a.kind = static_cast<AccessKind>(a.site.value % 5);
    if (chance(2)) a.displacement = below(1 << 20);
    if (chance(3)) a.end = chance(9) ? kNever : a.begin + below(5);
    if (chance(4)) a.operand = random_();
    if (chance(4)) a.start += below(100000);
    if (chance(5)) a.done = chance(3) ? ~std::uint64_t{0} : a.start + below(1000);
    if (chance(9)) a.plain_atomic = chance(2), a.reachable = chance(2), a.pending = chance(2);
    if (chance(9)) a.after += below(3), a.before = chance(3) ? kNoSyncPoint : a.after + below(3);
    if (chance(9)) a.part = static_cast<std::uint32_t>(below(4));
    if (chance(9)) a.serial = below(1000);
    if (chance(9)) a.epoch = {static_cast<EpochKind>(below(4)), below(300)};
    if (chance(9))
      a.opened = SiteId(static_cast<std::uint32_t>(below(9))),
      a.closed = SiteId(static_cast<std::uint32_t>(below(9)));
    if (chance(9))
      a.owner = WorldRank(static_cast<std::int32_t>(below(4)) - 1), a.win = Uid(random_());
    if (chance(9))
      a.op = static_cast<ReduceOp>(below(16)),
      a.element = {ElementKind::Integer, static_cast<std::uint8_t>(below(9))};
    if (chance(9))
      a.locks = chance(3) ? nullptr
                          : std::make_shared<const std::vector<Lock>>(
                                below(4), Lock{Uid(below(9)), WorldRank(1), chance(2), below(99)});
    if (chance(9))
      a.footprint =
          Footprint(static_cast<std::int64_t>(below(999)), static_cast<std::int64_t>(below(99)));
    if (chance(15))
      a.footprint =
          Footprint({{0, 4, {{3, 16}}}, {static_cast<std::int64_t>(99 + below(9)), 8, {}}});
    if (chance(3)) a.footprint.move_by(static_cast<std::int64_t>(below(1 << 20)) - (1 << 19));
    return a;
  }
  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  bool chance(std::uint64_t in) { return below(in) == 0; }

 private:
  std::mt19937_64 random_;
  Access access_;
};

void expect_same(const Access& a, const Access& b) {
  const auto numbers = [](const Access& x) {
    return std::tuple(x.rank, x.owner, x.kind, x.reachable, x.pending, x.plain_atomic, x.op,
                      x.element.kind, x.element.size, x.call, x.part, x.site, x.site_key, x.begin,
                      x.end, x.after, x.before, x.epoch.kind, x.epoch.index, x.win, x.opened,
                      x.closed, x.displacement, x.serial, x.operand, x.start, x.done);
  };
  EXPECT_EQ(numbers(a), numbers(b));
  const std::vector<Lock> none;
  EXPECT_EQ(a.locks != nullptr ? *a.locks : none, b.locks != nullptr ? *b.locks : none);
  ASSERT_EQ(a.footprint.size(), b.footprint.size());
  for (std::size_t i = 0; i < a.footprint.size(); ++i) EXPECT_EQ(a.footprint[i], b.footprint[i]);
}

std::vector<std::uint8_t> encoded(AccessList& list) {
  Size size;
  size(list);
  std::vector<std::uint8_t> bytes(size.bytes);
  Encoder out(bytes.data());
  Write{out}(list);
  bytes.resize(static_cast<std::size_t>(out.next() - bytes.data()));
  return bytes;
}

TEST(AccessList, ComesOutAsItWentIn) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomAccesses accesses(seed);
    std::vector<Access> all;
    AccessList list;
    for (std::uint64_t left = accesses.below(300); left > 0; --left)
      list.add(all.emplace_back(accesses.next()));
    const std::vector<std::uint8_t> bytes = encoded(list);
    AccessList copy;
    Decoder in(bytes.data(), bytes.data() + bytes.size());
    Read{in}(copy);
    ASSERT_TRUE(in.ok() && in.at_end());
    ASSERT_EQ(copy.size(), all.size());
    AccessList::Reader reader(copy);
    for (const Access& access : all) {
      const Access* read = reader.next();
      ASSERT_NE(read, nullptr);
      expect_same(access, *read);
      if (HasFailure()) return;
    }
    EXPECT_EQ(reader.next(), nullptr);
  }
}

TEST(AccessList, DamagedBytesEnd) {
  RandomAccesses accesses(1);
  AccessList list;
  for (int i = 0; i < 200; ++i) list.add(accesses.next());
  const std::vector<std::uint8_t> whole = encoded(list);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint8_t> bytes = whole;
    for (std::uint64_t times = 1 + accesses.below(5); times > 0; --times)
      bytes[6 + accesses.below(bytes.size() - 6)] = static_cast<std::uint8_t>(accesses.below(256));
    AccessList copy;
    Decoder in(bytes.data(), bytes.data() + bytes.size());
    Read{in}(copy);
    std::size_t read = 0;
    for (AccessList::Reader reader(copy); reader.next() != nullptr;) ++read;
    EXPECT_LE(read, bytes.size());
  }
}

TEST(AccessList, WhatRepeatsTakesAFewBytes) {
  Access access;
  access.rank = WorldRank(1);
  access.site = SiteId(3);
  access.kind = AccessKind::Put;
  access.footprint = Footprint(0, 8);
  access.end = 100000;
  AccessList list;
  for (int i = 0; i < 10000; ++i) {
    access.begin += 2;
    access.displacement = static_cast<std::uint64_t>(i) * 7919 % 4096;
    list.add(access);
  }
  EXPECT_LT(encoded(list).size(), 10000u * 6);
}

}  // namespace
}  // namespace photofinish
