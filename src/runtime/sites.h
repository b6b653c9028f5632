// Call sites: the return addresses of all callers, as one small number.
//
// Unwinding takes microseconds, so each task caches the stacks it has seen, by return address and
// frame of the call. A cached stack also stores the stack slot of each of its return addresses. If
// these slots still hold the same addresses, it is the same stack. (By induction from the innermost
// frame: the same return address means the same code, hence the same frame size, hence the same
// slot of the next return address.) So a hit is exact, without frame pointers, for one hash and one
// comparison per frame. Imprecise: a frame whose return address is in no slot that we can find
// (none are known) is not compared.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/ids.h"

namespace photofinish {

class TraceWriter;

class SiteTable;
struct ScriptFrame;

// One per task; not thread-safe.
class SiteCache {
 public:
  explicit SiteCache(SiteTable& table);
  // `pc`: return address into the program. `frame`: frame address of the intercepted function.
  SiteId find(std::uint64_t pc, std::uint64_t frame) {
    for (const Stack* stack = buckets_[bucket(pc, frame)]; stack != nullptr; stack = stack->next)
      if (stack->pc == pc && stack->frame == frame && same(*stack)) return stack->site;
    return walk(pc, frame);
  }
  // The same of a call, which a script may have made.
  SiteId find_call(std::uint64_t pc, std::uint64_t frame);

 private:
  struct Slot {
    const std::uint64_t* location;
    std::uint64_t value;
  };
  struct Stack {
    std::uint64_t pc, frame;
    SiteId site;
    Stack* next;
    std::vector<Slot> slots;
  };
  static constexpr std::size_t kBuckets = 1024;
  // Bounds the memory of a deep recursion that communicates at every level. An evicted stack costs
  // one unwinding.
  static constexpr std::size_t kMaxStacks = 1 << 16;

  static std::size_t bucket(std::uint64_t pc, std::uint64_t frame) {
    return ((pc ^ (frame << 7)) * 0x9e3779b97f4a7c15ull) >> 54;
  }
  // The slots are in foreign frames, which a sanitizer may forbid to read.
  [[gnu::no_sanitize("address")]] static bool same(const Stack& stack) {
    for (const Slot& slot : stack.slots)
      if (*slot.location != slot.value) return false;
    return true;
  }
  [[gnu::cold, gnu::noinline, gnu::no_sanitize("address")]] SiteId walk(std::uint64_t pc,
                                                                        std::uint64_t frame);

  SiteTable& table_;
  std::vector<Stack*> buckets_;
  std::vector<std::unique_ptr<Stack>> stacks_;
};

// The call sites of the process. Thread-safe.
class SiteTable {
 public:
  SiteTable(TraceWriter& writer, int depth);
  ~SiteTable();
  int depth() const { return depth_; }
  SiteId intern(const std::vector<std::uint64_t>& pcs);
  // The site with these frames of a script in place of the interpreter's.
  SiteId with_script(SiteId site, const std::vector<ScriptFrame>& script);

 private:
  struct State;
  TraceWriter& writer_;
  int depth_;
  std::unique_ptr<State> state_;
};

}  // namespace photofinish
