// Collectives that move data. Their events are in the order of what the modes promise:
//   UPC_IN_ALLSYNC     all threads have called it
//   the collective     each thread accesses its own part of the data
//   UPC_OUT_ALLSYNC    all threads have accessed their parts
// With NOSYNC on one side and no MYSYNC on the other, a thread may also access the parts of others
// while these are not in the call: further events. Then each part is written by the thread that
// its data is from, so that a collective does not race with itself.
#include <algorithm>

#include "frontend/upc/interception.h"

namespace photofinish::upc {
namespace {

constexpr int kInNoSync = 1 << 2, kOutNoSync = 1 << 5;
constexpr int kInMySync = 1 << 1, kOutMySync = 1 << 4;

bool is_in_all(int mode) { return (mode & (kInNoSync | kInMySync)) == 0; }
bool is_out_all(int mode) { return (mode & (kOutNoSync | kOutMySync)) == 0; }

// A part of the data on one thread.
struct Part {
  bool writes;
  std::uint64_t thread, offset, bytes;
  std::uint64_t source;  // where written data is from
};

class Collective {
 public:
  Collective(CallSite call_site, Call call, int mode)
      : interception_(call_site), call_(call), mode_(mode) {}

  // `data`: adds the parts, by add(). `root`: of those that have one, otherwise negative.
  template <class Data, class Made>
  void run(std::int64_t root, Data data, Made made) {
    const std::uint64_t own = SharedMemory::get().own_thread();
    if (interception_.is_steered()) {
      guarded([&] { data(*this); });
      for_remote([&](const auto& describe) { interception_.announce(call_, describe); });
    }
    if (is_in_all(mode_)) interception_.also(UpcCall::UPC_IN_ALLSYNC, kNothing);
    interception_.waiting(
        call_,
        [&](Context& c) {
          if (parts_.empty()) data(*this);
          if (root >= 0) c.event.fields.set(Field::root, root);
          c.event.fields.set(Field::value, mode_);
          for (const Part& part : parts_)
            if (part.thread == own && (!is_by_source() || !part.writes || part.source == own))
              add_own(c, part.writes ? BufferUse::Write : BufferUse::Read, part.offset, part.bytes);
        },
        made, kNothing);
    for_remote([&](const auto& describe) { interception_.also(call_, describe); });
    if (is_out_all(mode_)) interception_.also(UpcCall::UPC_OUT_ALLSYNC, kNothing);
  }

  void read(std::uint64_t thread, std::uint64_t offset, std::uint64_t bytes) {
    parts_.push_back({false, thread, offset, bytes, thread});
  }
  void write(std::uint64_t thread, std::uint64_t offset, std::uint64_t bytes,
             std::uint64_t source) {
    parts_.push_back({true, thread, offset, bytes, source});
  }

 private:
  bool is_by_source() const {
    return (mode_ & (kInNoSync | kOutNoSync)) != 0 && (mode_ & (kInMySync | kOutMySync)) == 0;
  }

  // Each access to the part of another thread.
  template <class Add>
  void for_remote(Add add) {
    if (!is_by_source()) return;
    const std::uint64_t own = SharedMemory::get().own_thread();
    for (const Part& part : parts_)
      if (part.thread != own && (!part.writes || part.source == own))
        add([&](Context& c) {
          add_target(c, part.writes ? BufferUse::TargetWrite : BufferUse::TargetRead,
                     {part.thread, part.offset}, part.bytes);
        });
  }

  Interception interception_;
  const Call call_;
  const int mode_;
  std::vector<Part> parts_;  // that this thread may access
};

constexpr std::int64_t kNoRoot = -1;
std::uint64_t own() { return SharedMemory::get().own_thread(); }
std::uint64_t count() { return SharedMemory::get().threads(); }

// The part of an array with blocks of `block` bytes (0: indefinite) on a thread: from its first own
// byte to its last.
//
// Example, blocks of 8 bytes, 3 threads: 30 bytes from the phase 4 of a block on thread 1 have the
// blocks 0 and 3 on thread 1. Its part is 4 + 8 bytes.
struct OwnPart {
  std::uint64_t offset = 0, bytes = 0;
};
OwnPart part_on(std::uint64_t thread, const Position& first, std::uint64_t bytes,
                std::uint64_t block) {
  if (block == 0) return thread == first.thread ? OwnPart{first.offset, bytes} : OwnPart{};
  const std::uint64_t phase = first.phase % block, start = first.offset - phase;
  const std::uint64_t end = phase + bytes;  // counted from the start of block 0
  const std::uint64_t one = (thread + count() - first.thread) % count();
  if (bytes == 0 || one * block >= end) return {};
  const std::uint64_t last = one + ((end - 1) / block - one) / count() * count();
  const auto offset_of = [&](std::uint64_t number) {
    return start + (first.thread + number) / count() * block;
  };
  const std::uint64_t from = offset_of(one) + (one == 0 ? phase : 0);
  const std::uint64_t to = offset_of(last) + std::min(block, end - last * block);
  return {from, to - from};
}

}  // namespace

UPC_ENTRY void upc_all_broadcast(Generic to, Generic from, std::size_t bytes, int mode) {
  const Position source = position_of(from), target = position_of(to);
  Collective call(CALL_SITE, UpcCall::upc_all_broadcast, mode);
  call.run(
      static_cast<std::int64_t>(source.thread),
      [&](Collective& c) {
        c.read(source.thread, source.offset, bytes);
        for (std::uint64_t i = 0; i < count(); ++i) c.write(i, target.offset, bytes, source.thread);
      },
      [&] { UPC_REAL(upc_all_broadcast)(to, from, bytes, mode); });
}

UPC_ENTRY void upc_all_scatter(Generic to, Generic from, std::size_t bytes, int mode) {
  const Position source = position_of(from), target = position_of(to);
  Collective call(CALL_SITE, UpcCall::upc_all_scatter, mode);
  call.run(
      static_cast<std::int64_t>(source.thread),
      [&](Collective& c) {
        for (std::uint64_t i = 0; i < count(); ++i)
          if (i == own() || own() == source.thread) {
            c.read(source.thread, source.offset + i * bytes, bytes);
            c.write(i, target.offset, bytes, source.thread);
          }
      },
      [&] { UPC_REAL(upc_all_scatter)(to, from, bytes, mode); });
}

UPC_ENTRY void upc_all_gather(Generic to, Generic from, std::size_t bytes, int mode) {
  const Position source = position_of(from), target = position_of(to);
  Collective call(CALL_SITE, UpcCall::upc_all_gather, mode);
  call.run(
      static_cast<std::int64_t>(target.thread),
      [&](Collective& c) {
        for (std::uint64_t i = 0; i < count(); ++i)
          if (i == own() || own() == target.thread) {
            c.read(i, source.offset, bytes);
            c.write(target.thread, target.offset + i * bytes, bytes, i);
          }
      },
      [&] { UPC_REAL(upc_all_gather)(to, from, bytes, mode); });
}

UPC_ENTRY void upc_all_gather_all(Generic to, Generic from, std::size_t bytes, int mode) {
  const Position source = position_of(from), target = position_of(to);
  Collective call(CALL_SITE, UpcCall::upc_all_gather_all, mode);
  call.run(
      kNoRoot,
      [&](Collective& c) {
        for (std::uint64_t i = 0; i < count(); ++i) {
          c.read(i, source.offset, bytes);
          c.write(own(), target.offset + i * bytes, bytes, i);
          if (i != own()) c.write(i, target.offset + own() * bytes, bytes, own());
        }
      },
      [&] { UPC_REAL(upc_all_gather_all)(to, from, bytes, mode); });
}

UPC_ENTRY void upc_all_exchange(Generic to, Generic from, std::size_t bytes, int mode) {
  const Position source = position_of(from), target = position_of(to);
  Collective call(CALL_SITE, UpcCall::upc_all_exchange, mode);
  call.run(
      kNoRoot,
      [&](Collective& c) {
        c.read(own(), source.offset, count() * bytes);
        for (std::uint64_t i = 0; i < count(); ++i) {
          c.write(own(), target.offset + i * bytes, bytes, i);
          if (i == own()) continue;
          c.read(i, source.offset + own() * bytes, bytes);
          c.write(i, target.offset + own() * bytes, bytes, own());
        }
      },
      [&] { UPC_REAL(upc_all_exchange)(to, from, bytes, mode); });
}

UPC_ENTRY void upc_all_permute(Generic to, Generic from, Typed permutation, std::size_t bytes,
                               int mode) {
  const Position source = position_of(from), target = position_of(to);
  Collective call(CALL_SITE, UpcCall::upc_all_permute, mode);
  call.run(
      kNoRoot,
      [&](Collective& c) {
        const Position number =
            position_of(permutation + own() * sizeof(int), sizeof(int), count());
        c.read(number.thread, number.offset, sizeof(int));
        c.read(own(), source.offset, bytes);
        c.write(own(), target.offset, bytes, own());
      },
      [&] { UPC_REAL(upc_all_permute)(to, from, permutation, bytes, mode); });
}

// --- reductions

namespace {

struct Reduction {
  Position to, from;
  std::size_t bytes, block, element;
  int mode;
};

template <class Made>
void run_reduce(CallSite call_site, const Reduction& one, Made made) {
  Collective call(call_site, UpcCall::upc_all_reduce, one.mode);
  call.run(
      static_cast<std::int64_t>(one.to.thread),
      [&](Collective& c) {
        for (std::uint64_t i = 0; i < count(); ++i)
          if (i == own() || own() == one.to.thread) {
            const OwnPart part = part_on(i, one.from, one.bytes, one.block);
            c.read(i, part.offset, part.bytes);
          }
        c.write(one.to.thread, one.to.offset, one.element, one.to.thread);
      },
      made);
}

template <class Made>
void run_prefix(CallSite call_site, const Reduction& one, Made made) {
  Collective call(call_site, UpcCall::upc_all_prefix_reduce, one.mode);
  call.run(
      kNoRoot,
      [&](Collective& c) {
        const OwnPart read = part_on(own(), one.from, one.bytes, one.block);
        const OwnPart written = part_on(own(), one.to, one.bytes, one.block);
        c.read(own(), read.offset, read.bytes);
        c.write(own(), written.offset, written.bytes, own());
      },
      made);
}

}  // namespace

#define REDUCTION(letter, type)                                                                    \
  UPC_ENTRY void upc_all_reduce##letter(Generic to, Generic from, int operation,                   \
                                        std::size_t elements, std::size_t block,                   \
                                        type (*function)(type, type), int mode) {                  \
    run_reduce(CALL_SITE,                                                                          \
               {position_of(to), position_of(from), elements * sizeof(type), block * sizeof(type), \
                sizeof(type), mode},                                                               \
               [&] {                                                                               \
                 UPC_REAL(upc_all_reduce##letter)                                                  \
                 (to, from, operation, elements, block, function, mode);                           \
               });                                                                                 \
  }                                                                                                \
  UPC_ENTRY void upc_all_prefix_reduce##letter(Generic to, Generic from, int operation,            \
                                               std::size_t elements, std::size_t block,            \
                                               type (*function)(type, type), int mode) {           \
    run_prefix(CALL_SITE,                                                                          \
               {position_of(to), position_of(from), elements * sizeof(type), block * sizeof(type), \
                sizeof(type), mode},                                                               \
               [&] {                                                                               \
                 UPC_REAL(upc_all_prefix_reduce##letter)                                           \
                 (to, from, operation, elements, block, function, mode);                           \
               });                                                                                 \
  }
REDUCTION(C, signed char)
REDUCTION(UC, unsigned char)
REDUCTION(S, short)
REDUCTION(US, unsigned short)
REDUCTION(I, int)
REDUCTION(UI, unsigned)
REDUCTION(L, long)
REDUCTION(UL, unsigned long)
REDUCTION(F, float)
REDUCTION(D, double)
REDUCTION(LD, long double)
#undef REDUCTION

}  // namespace photofinish::upc
