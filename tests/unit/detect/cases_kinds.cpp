// Cases: which kinds of accesses conflict, where, and under which locks.
#include "cases_made.h"
#include "frontend/mpi/table/elements.h"
#include "frontend/mpi/table/mpi_call.h"

namespace photofinish::testing::made {
namespace {

// --- locks

Races under_locks(Script& s, bool one_exclusive, std::int64_t one_asserts, bool other_exclusive,
                  int other_target, bool race) {
  const WinRef w = s.window();
  const TypeRef byte = s.type("MPI_BYTE");
  s.lock(0, w, 2, one_exclusive, one_asserts);
  const Ref one = s.one_sided(0, MpiCall::MPI_Put, w, 2,
                              {.origin = {s.fresh(8), 8, byte}, .remote = {0, 8, byte}});
  s.window_call(0, MpiCall::MPI_Win_unlock, w, 2);
  if (other_target != 2) s.lock(1, w, 2, false, kNoCheck);
  s.lock(1, w, other_target, other_exclusive);
  const Ref other = s.put(1, w, 2, 0, 8);
  s.window_call(1, MpiCall::MPI_Win_unlock, w, other_target);
  if (other_target != 2) s.window_call(1, MpiCall::MPI_Win_unlock, w, 2);
  return race ? Races{{one, other, NoOrder}} : Races{};
}

const Made kLocks[] = {
    {"two exclusive locks", 3, [](Script& s) { return under_locks(s, true, 0, true, 2, false); }},
    {"an exclusive and a shared lock", 3,
     [](Script& s) { return under_locks(s, true, 0, false, 2, false); }},
    {"two shared locks", 3, [](Script& s) { return under_locks(s, false, 0, false, 2, true); }},
    {"an exclusive lock with NOCHECK", 3,
     [](Script& s) { return under_locks(s, true, kNoCheck, true, 2, true); }},
    {"an exclusive lock at another target", 3,
     [](Script& s) { return under_locks(s, true, 0, true, 1, true); }},
    {"an exclusive lock against lock_all, of the owner too", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock_all(0, w);
       s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock_all, w);
       s.lock(2, w, 2, true);
       s.load(2, kBase, 8);
       s.window_call(2, MpiCall::MPI_Win_unlock, w, 2);
       s.lock(1, w, 2, true);
       s.put(1, w, 2, 0, 8);
       s.window_call(1, MpiCall::MPI_Win_unlock, w, 2);
       return {};
     }},
    {"an exclusive lock does not keep one rank's own operations apart", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock(0, w, 1, true);
       const Ref one = s.put(0, w, 1, 0, 8), other = s.put(0, w, 1, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock, w, 1);
       return {{one, other, NotComplete}};
     }},
    {"an access after the unlock is not under the lock", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock(0, w, 1, true);
       const Ref put = s.put(0, w, 1, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock, w, 1);
       s.lock(1, w, 1, true);
       s.load(1, kBase, 8);
       s.window_call(1, MpiCall::MPI_Win_unlock, w, 1);
       const Ref load = s.load(1, kBase, 8);
       return {{put, load, NoOrder}};
     }},
    {"a receive that outlives the lock is not under it", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock(1, w, 1, true);
       const Ref receive = s.receive(1, MpiCall::MPI_Irecv, 0, 0, {kBase, 8, kPlainBytes});
       s.window_call(1, MpiCall::MPI_Win_unlock, w, 1);
       s.send(0, MpiCall::MPI_Send, 1, 0, fresh(s));
       s.lock(0, w, 1, true);
       const Ref put = s.put(0, w, 1, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock, w, 1);
       s.wait(s.request(receive), {0, 0, 8});
       return {{receive, put, NoOrder}};
     }},
    {"a put that is over only at its target outlives the lock of another window", 3,
     [](Script& s) -> Races {
       const WinRef mutex = s.window({.base = kBase + 0x100}), w = s.window(), same = s.window();
       s.post(2, w, {0});
       s.start(0, w, {2});
       s.lock(0, mutex, 1, true);
       const Ref one = s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_complete, w);
       s.window_call(0, MpiCall::MPI_Win_unlock, mutex, 1);
       s.lock(1, mutex, 1, true);
       s.lock(1, same, 2, false);
       const Ref other = s.put(1, same, 2, 0, 8);
       s.window_call(1, MpiCall::MPI_Win_unlock, same, 2);
       s.window_call(1, MpiCall::MPI_Win_unlock, mutex, 1);
       s.window_call(2, MpiCall::MPI_Win_wait, w);
       return {{one, other, NoOrder}};
     }},
    {"locks protect and do not order", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window(), data = s.window({.base = kBase + 0x100});
       everybody_locks(s, data);
       const Ref one = s.put(0, data, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush, data, 2);
       for (const int rank : {0, 1}) {
         s.lock(rank, w, 2, true);
         s.put(rank, w, 2, 0, 8);
         s.window_call(rank, MpiCall::MPI_Win_unlock, w, 2);
       }
       const Ref other = s.put(1, data, 2, 0, 8);
       everybody_unlocks(s, data);
       return {{one, other, NoOrder}};
     }},
};

// --- kinds: ranks 0 and 1 access memory of rank 2 (or rank 2 itself does), concurrently

enum class Do { Load, Store, Get, Put, Sum, NoOp };

Ref do_it(Script& s, Do what, int rank, WinRef win, std::uint64_t displacement,
          std::string_view element) {
  const TypeRef type = s.type(element);
  const std::int64_t bytes = element_of(element).size;
  switch (what) {
    case Do::Load:
      return s.load(2, kBase + displacement, bytes);
    case Do::Store:
      return s.store(2, kBase + displacement, bytes);
    case Do::Get:
      return s.get(rank, win, 2, displacement, bytes);
    case Do::Put:
      return s.put(rank, win, 2, displacement, bytes);
    case Do::Sum:
      return s.accumulate(rank, win, 2, displacement, type, "MPI_SUM");
    case Do::NoOp:
      break;
  }
  const Data result{s.fresh(8), 1, type};
  return s.one_sided(rank, MpiCall::MPI_Get_accumulate, win, 2,
                     {.result = result, .remote = {displacement, 1, type}, .op = "MPI_NO_OP"});
}

struct Meeting {
  const char* name;
  Do one, other;
  std::optional<Reason> reason;
  std::string_view one_element = "MPI_INT", other_element = "MPI_INT";
  std::uint64_t shift = 0;
};

Races meet(Script& s, const Meeting& meeting) {
  const WinRef w = s.window();
  everybody_locks(s, w);
  const Ref first = do_it(s, meeting.one, 0, w, 8, meeting.one_element);
  const Ref second = do_it(s, meeting.other, 1, w, 8 + meeting.shift, meeting.other_element);
  for (int rank = 0; rank < 3; ++rank) {
    const Ref unlock = s.window_call(rank, MpiCall::MPI_Win_unlock_all, w);
    for (const Ref atomic : {first, second})
      if (atomic.rank == rank && s.event(atomic).call == MpiCall::MPI_Get_accumulate)
        s.result(unlock, atomic, 0);
  }
  return meeting.reason ? Races{{first, second, *meeting.reason}} : Races{};
}

const Meeting kMeetings[] = {
    {"load, get", Do::Load, Do::Get, {}},
    {"load, put", Do::Load, Do::Put, NoOrder},
    {"load, accumulate", Do::Load, Do::Sum, NoOrder},
    {"load, accumulate with no operation", Do::Load, Do::NoOp, {}},
    {"store, get", Do::Store, Do::Get, NoOrder},
    {"store, put", Do::Store, Do::Put, NoOrder},
    {"store, accumulate", Do::Store, Do::Sum, NoOrder},
    {"store, accumulate with no operation", Do::Store, Do::NoOp, NoOrder},
    {"get, get", Do::Get, Do::Get, {}},
    {"get, put", Do::Get, Do::Put, NoOrder},
    {"get, accumulate", Do::Get, Do::Sum, NoOrder},
    {"get, accumulate with no operation", Do::Get, Do::NoOp, {}},
    {"put, put", Do::Put, Do::Put, NoOrder},
    {"put, accumulate", Do::Put, Do::Sum, NoOrder},
    {"put, accumulate with no operation", Do::Put, Do::NoOp, NoOrder},
    {"put, put apart", Do::Put, Do::Put, {}, "MPI_INT", "MPI_INT", 4},
    {"put, put, one byte in common", Do::Put, Do::Put, NoOrder, "MPI_INT", "MPI_INT", 3},
    {"accumulates", Do::Sum, Do::Sum, {}},
    {"accumulates of two names of one type", Do::Sum, Do::Sum, {}, "MPI_LONG", "MPI_INT64_T"},
    {"accumulates of an integer and a floating type", Do::Sum, Do::Sum, MixedElements, "MPI_INT",
     "MPI_FLOAT"},
    {"accumulates of signed and unsigned", Do::Sum, Do::Sum, MixedElements, "MPI_INT",
     "MPI_UNSIGNED"},
    {"accumulates of two sizes", Do::Sum, Do::Sum, MixedElements, "MPI_INT", "MPI_INT64_T"},
    {"accumulates, shifted by half an element", Do::Sum, Do::Sum, MixedElements, "MPI_INT64_T",
     "MPI_INT64_T", 4},
    {"accumulate and one with no operation of another type", Do::Sum, Do::NoOp, MixedElements,
     "MPI_INT", "MPI_FLOAT"},
    {"two with no operation, of two types", Do::NoOp, Do::NoOp, {}, "MPI_INT", "MPI_FLOAT"},
};

// --- two accumulates on one element of rank 2

struct TwoOperations {
  const char* name;
  bool strict;
  const char *ops, *ordering;  // assertions of the window
  std::string_view first, second;
  bool same_rank, race;
};

Races two_operations(Script& s, const TwoOperations& row) {
  s.execution().options.strict_accumulate_ops = row.strict;
  const WinRef w = s.window({.accumulate_ops = row.ops, .accumulate_ordering = row.ordering});
  const TypeRef type = s.type("MPI_INT");
  everybody_locks(s, w);
  const auto update = [&](int rank, std::string_view op) {
    return op == "CAS" ? s.compare_and_swap(rank, w, 2, 0, type, 5, 6)
                       : s.fetch(rank, w, 2, 0, type, op);
  };
  const int other_rank = row.same_rank ? 0 : 1;
  const Ref one = update(0, row.first), other = update(other_rank, row.second);
  for (const int rank : {0, 1}) {
    const Ref unlock = s.window_call(rank, MpiCall::MPI_Win_unlock_all, w);
    if (rank == 0) s.result(unlock, one, 5);
    if (rank == other_rank)
      s.result(unlock, other, row.first == "CAS" || row.first == "MPI_SUM" ? 6 : 5);
  }
  return row.race ? Races{{one, other, MixedOperations}} : Races{};
}

const TwoOperations kOperations[] = {
    {"different operations", false, "", "", "MPI_SUM", "MPI_MAX", false, false},
    {"different operations, strictly", true, "", "", "MPI_SUM", "MPI_MAX", false, true},
    {"the same operation, strictly", true, "", "", "MPI_SUM", "MPI_SUM", false, false},
    {"no operation beside another, strictly", true, "", "", "MPI_SUM", "MPI_NO_OP", false, false},
    {"compare-and-swap beside a sum, strictly", true, "", "", "CAS", "MPI_SUM", false, true},
    {"compare-and-swap beside a sum", false, "", "", "CAS", "MPI_SUM", false, false},
    {"same_op: no operation beside another, unasked", false, "same_op", "", "MPI_SUM", "MPI_NO_OP",
     false, true},
    {"same_op_no_op: no operation beside another", false, "same_op_no_op", "", "MPI_SUM",
     "MPI_NO_OP", false, false},
    {"different operations of one rank, strictly", true, "", "rar,raw,war,waw", "MPI_SUM",
     "MPI_MAX", true, false},
    {"different operations of one rank, strictly, without their order", true, "", "none", "MPI_SUM",
     "MPI_MAX", true, true},
};

// --- a store of the owner and an update of its window

struct StoreAndUpdate {
  const char* name;
  bool unified;
  std::uint64_t store_at;
  Do what;
  bool locked;
  std::optional<Reason> reason;
};

Races store_and_update(Script& s, const StoreAndUpdate& row) {
  const WinRef w = s.window({.unified = row.unified});
  s.lock(0, w, 2, false);
  const Ref update = do_it(s, row.what, 0, w, 8, "MPI_INT");
  const Ref unlock = s.window_call(0, MpiCall::MPI_Win_unlock, w, 2);
  if (row.what == Do::NoOp) s.result(unlock, update, 0);
  if (row.locked) s.lock(2, w, 2, true);
  const Ref store = s.store(2, row.store_at, 4);
  if (row.locked) s.window_call(2, MpiCall::MPI_Win_unlock, w, 2);
  s.load(2, row.store_at + 8, 4);
  return row.reason ? Races{{update, store, *row.reason}} : Races{};
}

const StoreAndUpdate kSeparate[] = {
    {"separate: a store apart from a put", false, kBase + 32, Do::Put, false, SeparateModel},
    {"unified: a store apart from a put", true, kBase + 32, Do::Put, false, {}},
    {"separate: a store apart from an accumulate", false, kBase + 32, Do::Sum, false,
     SeparateModel},
    {"separate: a store apart from a get", false, kBase + 32, Do::Get, false, {}},
    {"separate: a store apart from a fetch", false, kBase + 32, Do::NoOp, false, {}},
    {"separate: a store in the put's bytes", false, kBase + 8, Do::Put, false, NoOrder},
    {"separate: a store outside the window", false, kBase + 64, Do::Put, false, {}},
    {"separate: a store at the window's end", false, kBase + 61, Do::Put, false, SeparateModel},
    {"separate: a store under the owner's lock", false, kBase + 32, Do::Put, true, {}},
};

// --- footprints

const Made kMemory[] = {
    {"displacements count in the target's unit, and in addresses in a dynamic window", 2,
     [](Script& s) -> Races {
       const WinRef units = s.window({.flavour = WinFlavour::Create, .unit = 8});
       const WinRef dynamic = s.window({.flavour = WinFlavour::Dynamic});
       s.lock_all(0, units);
       s.lock_all(0, dynamic);
       const Ref one = s.put(0, units, 1, 2, 8), other = s.put(0, dynamic, 1, kBase + 20, 8);
       s.put(0, dynamic, 1, kBase + 28, 4);
       s.window_call(0, MpiCall::MPI_Win_unlock_all, units);
       s.window_call(0, MpiCall::MPI_Win_unlock_all, dynamic);
       return {{one, other, NotComplete}};
     }},
    {"each rank has its own base and unit", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window({.stagger = 16, .units = {1, 2, 4}});
       everybody_locks(s, w);
       const Ref one = s.put(0, w, 1, 4, 8), load = s.load(1, kBase + 16 + 15, 1);
       s.load(1, kBase + 16 + 7, 1);
       s.load(1, kBase + 16 + 16, 1);
       const Ref other = s.put(0, w, 2, 4, 8), store = s.store(2, kBase + 32 + 16, 1);
       s.store(2, kBase + 32 + 15, 1);
       everybody_unlocks(s, w);
       return {{one, load, NoOrder}, {other, store, NoOrder}};
     }},
    {"buffers that meet where the window begins, outside it", 2,
     [](Script& s) -> Races {
       s.window();
       const Ref receive = s.receive(0, MpiCall::MPI_Irecv, 1, 0, {kBase - 8, 8, kPlainBytes});
       const Ref load = s.load(0, kBase - 4, 8);
       return {{receive, load, NotComplete}};
     }},
    {"a buffer in use over which a window is made", 2,
     [](Script& s) -> Races {
       const Ref receive = s.receive(0, MpiCall::MPI_Irecv, 1, 0, {kBase, 8, kPlainBytes});
       const Ref before = s.load(0, kBase, 8);
       s.window();
       const Ref after = s.load(0, kBase, 8);
       return {{receive, before, NotComplete}, {receive, after, NotComplete}};
     }},
    {"a buffer in use over which a window is made, used and freed", 2,
     [](Script& s) -> Races {
       const Ref send = s.send(0, MpiCall::MPI_Isend, 1, 0, {kBase, 8, kPlainBytes});
       const WinRef w = s.window();
       s.fence_all(w, kNoPrecede);
       const Ref put = s.put(0, w, 0, 0, 8);
       s.fence_all(w, kNoSucceed);
       for (const int rank : {0, 1}) s.window_call(rank, MpiCall::MPI_Win_free, w);
       return {{send, put, NotComplete}};
     }},
    {"strided types, with their gaps", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       // 4 bytes of every 8, three times; and two rows of that with a stride of 32 bytes.
       const TypeRef row = s.type("MPI_INT", repeated(contiguous_map(4), 3, 8));
       const TypeRef rows = s.type("MPI_INT", repeated(repeated(contiguous_map(4), 3, 8), 2, 32));
       const auto put = [&](TypeRef type, std::uint64_t at) {
         return s.one_sided(0, MpiCall::MPI_Put, w, 1,
                            {.origin = {s.fresh(64), 1, type}, .remote = {at, 1, type}});
       };
       s.lock_all(0, w);
       const Ref all = put(rows, 0);
       const Ref between = put(row, 4);
       const Ref third = put(row, 32);
       const Ref fourth = s.put(0, w, 1, 19, 2);
       s.put(0, w, 1, 24, 4);
       s.window_call(0, MpiCall::MPI_Win_unlock_all, w);
       return {
           {all, third, NotComplete}, {all, fourth, NotComplete}, {between, fourth, NotComplete}};
     }},
    {"a message received into a window", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock_all(0, w);
       const Ref put = s.put(0, w, 1, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock_all, w);
       const Ref receive = s.receive(1, MpiCall::MPI_Irecv, 0, 0, {kBase, 4, kPlainBytes});
       s.send(0, MpiCall::MPI_Send, 1, 0, fresh(s));
       s.wait(s.request(receive), {0, 0, 4});
       s.load(1, kBase, 8);
       return {{put, receive, NoOrder}};
     }},
};

}  // namespace

void add_lock_cases(std::vector<Case>& cases) {
  for (const Made& made : kLocks) add(cases, made);
}

void add_kind_cases(std::vector<Case>& cases) {
  const auto add_row = [&](const auto& row, auto make) {
    Script script(3);
    const Races races = make(script, row);
    cases.push_back(finish(row.name, script, races));
  };
  for (const Meeting& row : kMeetings) add_row(row, meet);
  for (const TwoOperations& row : kOperations) add_row(row, two_operations);
  for (const StoreAndUpdate& row : kSeparate) add_row(row, store_and_update);
  for (const Made& made : kMemory) add(cases, made);
}

}  // namespace photofinish::testing::made
