// Atomic subroutines. Each has a number and its operand; a fetching one also its result, which
// shows whose update it read.
#include "frontend/caf/accesses.h"

CAF_ENTRY void _gfortran_caf_atomic_define(void* token, std::size_t offset, int image, void* value,
                                           int* stat, int type, int kind);
CAF_ENTRY void _gfortran_caf_atomic_ref(void* token, std::size_t offset, int image, void* value,
                                        int* stat, int type, int kind);
CAF_ENTRY void _gfortran_caf_atomic_cas(void* token, std::size_t offset, int image, void* old,
                                        void* compare, void* value, int* stat, int type, int kind);
CAF_ENTRY void _gfortran_caf_atomic_op(int operation, void* token, std::size_t offset, int image,
                                       void* value, void* old, int* stat, int type, int kind);

namespace photofinish::caf {
namespace {

struct Atomic {
  const void* token;
  std::size_t offset;
  int image;
  const int* stat;
  int kind;  // bytes
};

std::int64_t value_of(const void* value, int bytes) {
  return static_cast<std::int64_t>(upc::bits_of(value, static_cast<std::size_t>(bytes)));
}

// The images of the coarray are those of the team that allocated it.
void add_target(Context& c, const Atomic& atomic) {
  set_result(c, atomic.stat);
  const Coarray* const coarray = Coarrays::get().find(atomic.token);
  if (coarray == nullptr) return;
  const WorldRank target =
      atomic.image == 0 ? Images::get().self() : coarray->team->image(atomic.image);
  c.event.fields.set(Field::target, target.value);
  c.event.fields.set(Field::win, coarray->region.id);
  c.event.fields.set(Field::atomic, upc::next_atomic());
  c.event.buffers.push_back({BufferUse::TargetUpdate, atomic.offset, atomic.kind, TypeId(0)});
}

// Only of an atomic whose target is known.
void add_fetched(Context& c, const Atomic& atomic, const void* fetched) {
  if (c.event.fields.has(Field::atomic))
    c.event.numbers = {c.event.fields[Field::atomic], value_of(fetched, atomic.kind)};
}

// A program that waits for a flag reads one value again and again. Only the first of these reads is
// an event: the others add no order and have the same conflicts.
bool is_repeated(CallSite call_site, const Atomic& atomic, std::int64_t value) {
  struct Read {
    std::uint64_t pc;
    const void* token;
    std::uint64_t offset;
    int image;
    std::int64_t value;
    std::uint64_t events;
    bool operator==(const Read&) const = default;
  };
  static Read last{};
  const Read read{call_site.pc, atomic.token, atomic.offset,
                  atomic.image, value,        Interception::events()};
  if (read == last) return true;
  last = read;
  ++last.events;  // with the event of this read
  return false;
}

}  // namespace

CAF_ENTRY void _gfortran_caf_atomic_define(void* token, std::size_t offset, int image, void* value,
                                           int* stat, int type, int kind) {
  Interception call(CALL_SITE);
  const Atomic atomic{token, offset, image, stat, kind};
  call.returning(
      CafCall::caf_atomic_define,
      [&] { CAF_REAL(atomic_define)(token, offset, image, value, stat, type, kind); },
      [&](Context& c) {
        add_target(c, atomic);
        c.event.fields.set(Field::operand, value_of(value, kind));
      });
}

CAF_ENTRY void _gfortran_caf_atomic_ref(void* token, std::size_t offset, int image, void* value,
                                        int* stat, int type, int kind) {
  Interception call(CALL_SITE);
  const Atomic atomic{token, offset, image, stat, kind};
  call.querying(
      CafCall::caf_atomic_ref,
      [&] { CAF_REAL(atomic_ref)(token, offset, image, value, stat, type, kind); },
      [&] { return !is_repeated(call.call_site(), atomic, value_of(value, kind)); },
      [&](Context& c) {
        add_target(c, atomic);
        add_fetched(c, atomic, value);
      });
}

CAF_ENTRY void _gfortran_caf_atomic_cas(void* token, std::size_t offset, int image, void* old,
                                        void* compare, void* value, int* stat, int type, int kind) {
  Interception call(CALL_SITE);
  const Atomic atomic{token, offset, image, stat, kind};
  const std::int64_t compared = value_of(compare, kind), set = value_of(value, kind);
  call.returning(
      CafCall::caf_atomic_cas,
      [&] { CAF_REAL(atomic_cas)(token, offset, image, old, compare, value, stat, type, kind); },
      [&](Context& c) {
        add_target(c, atomic);
        c.event.fields.set(Field::compare, compared);
        c.event.fields.set(Field::operand, set);
        add_fetched(c, atomic, old);
      });
}

CAF_ENTRY void _gfortran_caf_atomic_op(int operation, void* token, std::size_t offset, int image,
                                       void* value, void* old, int* stat, int type, int kind) {
  Interception call(CALL_SITE);
  const Atomic atomic{token, offset, image, stat, kind};
  const std::int64_t operand = value_of(value, kind);
  call.returning(
      CafCall::caf_atomic_op,
      [&] { CAF_REAL(atomic_op)(operation, token, offset, image, value, old, stat, type, kind); },
      [&](Context& c) {
        add_target(c, atomic);
        c.event.fields.set(Field::value, operation);
        c.event.fields.set(Field::operand, operand);
        if (old != nullptr) add_fetched(c, atomic, old);
      });
}

}  // namespace photofinish::caf
