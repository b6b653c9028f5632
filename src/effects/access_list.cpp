#include "effects/access_list.h"

#include "effects/codec.h"
#include "trace/codec.h"

namespace photofinish {
namespace {

constexpr std::size_t kModels = 64;

// The fields that differ from the model. The fields that differ most often come first, so that the
// mask fits into one byte.
enum Differs : std::uint32_t {
  kDisplacement = 1 << 0,
  kShift = 1 << 1,
  kOperand = 1 << 2,
  kStart = 1 << 3,
  kEnd = 1 << 4,
  kDone = 1 << 5,
  kPart = 1 << 6,
  kSyncPoints = 1 << 7,
  kClosed = 1 << 8,
  kSerial = 1 << 9,
  kOpened = 1 << 10,
  kEpoch = 1 << 11,
  kLocks = 1 << 12,
  kBytes = 1 << 13,
  kRest = 1 << 14,
  kKnown = 1 << 15,
  kDelivery = 1 << 16
};

bool alike(const Access& a, const Access& b) { return a.site == b.site && a.kind == b.kind; }

std::uint32_t difference(const Access& a, const Access& b) {
  std::uint32_t differs = 0;
  const auto add = [&](bool same, std::uint32_t bit) { differs |= same ? 0 : bit; };
  add(a.displacement == b.displacement, kDisplacement);
  add(a.footprint.shift() == b.footprint.shift(), kShift);
  add(a.operand == b.operand, kOperand);
  add(a.start == b.start, kStart);
  add(a.end == b.end, kEnd);
  add(a.done == b.done, kDone);
  add(a.part == b.part, kPart);
  add(a.after == b.after && a.before == b.before, kSyncPoints);
  add(a.closed == b.closed, kClosed);
  add(a.serial == b.serial, kSerial);
  add(a.opened == b.opened, kOpened);
  add(a.epoch == b.epoch, kEpoch);
  add(a.locks == b.locks, kLocks);
  add(a.known == b.known, kKnown);
  add(a.delivery == b.delivery, kDelivery);
  add(a.footprint.length() == b.footprint.length() && a.footprint.shared() == b.footprint.shared(),
      kBytes);
  add(a.rank == b.rank && a.owner == b.owner && a.kind == b.kind && a.reachable == b.reachable &&
          a.pending == b.pending && a.op == b.op && a.element == b.element && a.call == b.call &&
          a.site == b.site && a.site_key == b.site_key && a.win == b.win &&
          a.plain_atomic == b.plain_atomic,
      kRest);
  return differs;
}

template <class A>
void describe_rest(A& a, Access& d) {
  a(d.rank, d.owner, d.kind, d.reachable, d.pending, d.op, d.element, d.call, d.site, d.site_key,
    d.win, d.plain_atomic);
}

std::int64_t delta(std::uint64_t now, std::uint64_t before) {
  return static_cast<std::int64_t>(now - before);
}
std::uint64_t moved(std::uint64_t before, std::int64_t by) {
  return before + static_cast<std::uint64_t>(by);
}

// Room for all numbers of an access, without its lists.
constexpr std::size_t kMaxNumbers = 32 * kMaxVarint;

}  // namespace

void AccessList::add(const Access& access) {
  // A loop reaches its access sites in the same order each time.
  std::size_t asked = 0, slot = last_;
  while (asked < models_.size() &&
         !alike(models_[slot = (last_ + 1 + asked) % models_.size()], access))
    ++asked;
  const bool fresh = asked == models_.size();
  if (fresh) {
    if (models_.size() < kModels)
      slot = models_.size(), models_.emplace_back();
    else
      models_[slot = replace_++ % kModels] = Access();
  }
  last_ = slot;
  Access& model = models_[slot];
  const std::uint32_t differs = difference(access, model);

  Size lists;
  if ((differs & kLocks) != 0 && access.locks != nullptr) lists(*access.locks);
  if ((differs & kKnown) != 0 && access.known != nullptr) lists(*access.known);
  if ((differs & kBytes) != 0 && access.footprint.shared() != nullptr)
    lists(*access.footprint.shared());
  std::uint8_t numbers[kMaxNumbers];
  std::vector<std::uint8_t> longer(lists.bytes != 0 ? kMaxNumbers + lists.bytes : 0);
  std::uint8_t* const begin = longer.empty() ? numbers : longer.data();
  Encoder out(begin);
  Write write{out};

  out.number(slot << 1 | (fresh ? 1 : 0));
  out.number(differs);
  out.signed_number(delta(access.begin, model.begin));
  if (differs & kDisplacement) out.signed_number(delta(access.displacement, model.displacement));
  if (differs & kShift) out.signed_number(access.footprint.shift() - model.footprint.shift());
  if (differs & kOperand) out.bytes(&access.operand, sizeof access.operand);
  if (differs & kStart) out.signed_number(delta(access.start, model.start));
  if (differs & kEnd) out.signed_number(delta(access.end, model.end));
  if (differs & kDone) out.signed_number(delta(access.done, model.done));
  if (differs & kPart) write(access.part);
  if (differs & kSyncPoints) {
    out.signed_number(delta(access.after, model.after));
    out.signed_number(delta(access.before, model.before));
  }
  if (differs & kClosed) write(access.closed);
  if (differs & kSerial) write(access.serial);
  if (differs & kOpened) write(access.opened);
  if (differs & kEpoch) write(access.epoch);
  if (differs & kLocks) {
    static const std::vector<Lock> none;
    write(access.locks != nullptr ? *access.locks : none);
  }
  if (differs & kKnown) {
    static const std::vector<Timestamp> none;
    write(access.known != nullptr ? *access.known : none);
  }
  if (differs & kBytes) {
    static const std::vector<Strided> none;
    write(access.footprint.length());
    write(access.footprint.shared() != nullptr ? *access.footprint.shared() : none);
  }
  if (differs & kDelivery) write(access.delivery);
  if (differs & kRest) describe_rest(write, const_cast<Access&>(access));
  bytes_.append(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(out.next() - begin));

  // Assigning the whole access would update reference counts.
  constexpr std::uint32_t kSmall = kDisplacement | kOperand | kStart | kEnd | kDone | kSerial;
  if ((differs & ~(kSmall | kShift)) != 0) {
    model = access;
  } else {
    model.begin = access.begin;
    model.displacement = access.displacement;
    model.footprint.move_by(access.footprint.shift() - model.footprint.shift());
    model.operand = access.operand;
    model.start = access.start;
    model.end = access.end;
    model.done = access.done;
    model.serial = access.serial;
  }
  ++count_;
  footprint_ += access.footprint.size();
}

const Access* AccessList::Reader::next() {
  if (next_ == end_) return nullptr;
  Decoder in(reinterpret_cast<const std::uint8_t*>(next_),
             reinterpret_cast<const std::uint8_t*>(end_));
  Read read{in};
  const std::uint64_t head = in.number();
  const std::size_t slot = static_cast<std::size_t>(head >> 1);
  if ((head & 1) != 0 && slot == models_.size() && slot < kModels)
    models_.emplace_back();
  else if ((head & 1) != 0 && slot < models_.size())
    models_[slot] = Access();
  if (slot >= models_.size()) return next_ = end_, nullptr;
  Access& access = models_[slot];

  const std::uint64_t differs = in.number();
  access.begin = moved(access.begin, in.signed_number());
  if (differs & kDisplacement) access.displacement = moved(access.displacement, in.signed_number());
  if (differs & kShift) access.footprint.move_by(in.signed_number());
  if (differs & kOperand)
    if (const std::uint8_t* operand = in.bytes(sizeof access.operand))
      std::memcpy(&access.operand, operand, sizeof access.operand);
  if (differs & kStart) access.start = moved(access.start, in.signed_number());
  if (differs & kEnd) access.end = moved(access.end, in.signed_number());
  if (differs & kDone) access.done = moved(access.done, in.signed_number());
  if (differs & kPart) read(access.part);
  if (differs & kSyncPoints) {
    access.after = moved(access.after, in.signed_number());
    access.before = moved(access.before, in.signed_number());
  }
  if (differs & kClosed) read(access.closed);
  if (differs & kSerial) read(access.serial);
  if (differs & kOpened) read(access.opened);
  if (differs & kEpoch) read(access.epoch);
  if (differs & kLocks) {
    std::vector<Lock> locks;
    read(locks);
    access.locks =
        locks.empty() ? nullptr : std::make_shared<const std::vector<Lock>>(std::move(locks));
  }
  if (differs & kKnown) {
    std::vector<Timestamp> known;
    read(known);
    access.known =
        known.empty() ? nullptr : std::make_shared<const std::vector<Timestamp>>(std::move(known));
  }
  if (differs & kBytes) {
    std::int64_t length = 0;
    std::vector<Strided> footprint;
    read(length, footprint);
    const std::int64_t shift = access.footprint.shift();
    access.footprint =
        footprint.empty()
            ? Footprint(shift, length)
            : Footprint(shift, std::make_shared<const std::vector<Strided>>(std::move(footprint)));
  }
  if (differs & kDelivery) read(access.delivery);
  if (differs & kRest) describe_rest(read, access);
  next_ += in.position();
  if (!in.ok()) return next_ = end_, nullptr;
  return &access;
}

}  // namespace photofinish
