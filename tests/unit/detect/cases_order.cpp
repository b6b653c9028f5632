// Cases: which calls order two accesses, and which do not.
#include "cases_made.h"
#include "frontend/mpi/table/mpi_call.h"

namespace photofinish::testing::made {
namespace {

// --- order: rank 0's put to rank 2 is complete; is there a happens-before path to rank 1's put?

struct Link {
  const char* name;
  int ranks;
  bool orders;
  void (*make)(Script&);  // rank 0's put precedes it, rank 1's follows it
};

Races through(Script& s, const Link& link) {
  const WinRef w = s.window();
  everybody_locks(s, w);
  const Ref one = s.put(0, w, 2, 0, 8);
  s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
  link.make(s);
  const Ref other = s.put(1, w, 2, 0, 8);
  everybody_unlocks(s, w);
  return link.orders ? Races{} : Races{{one, other, NoOrder}};
}

void all_do(Script& s, Call call, CommRef comm, std::optional<int> root, std::int64_t bytes = 8) {
  for (const int rank : s.members(comm)) {
    const bool here = root == rank;
    const Data some{s.fresh(8), bytes, kPlainBytes}, more{s.fresh(8), bytes, kPlainBytes},
        none{0, 0, kPlainBytes};
    const Action action = traits(call).action;
    if (action == Action::Bcast)
      s.collective(rank, call, comm, root, here ? some : none, here ? none : some);
    else if (action == Action::Reduce)
      s.collective(rank, call, comm, root, some, here ? more : none);
    else
      s.collective(rank, call, comm, root, some, more);
  }
}

const Link kLinks[] = {
    {"nothing", 3, false, [](Script&) {}},
    {"a message", 3, true, [](Script& s) { message(s, 0, 1); }},
    {"a message the other way", 3, false, [](Script& s) { message(s, 1, 0); }},
    {"a message over a third rank", 4, true,
     [](Script& s) {
       message(s, 0, 3);
       message(s, 3, 1);
     }},
    {"a third rank that sends before it receives", 4, false,
     [](Script& s) {
       message(s, 3, 1);
       message(s, 0, 3);
     }},
    {"a message from anybody", 3, true,
     [](Script& s) {
       s.send(0, MpiCall::MPI_Bsend, 1, 7, fresh(s));
       s.receive(1, kAnySource.value, kAnyTag, fresh(s), {0, 7, 8});
     }},
    {"a receive posted early", 3, true,
     [](Script& s) {
       const Ref receive = s.receive(1, MpiCall::MPI_Irecv, 0, 0, fresh(s));
       s.send(0, MpiCall::MPI_Send, 1, 0, fresh(s));
       s.wait(s.request(receive), {0, 0, 8});
     }},
    {"a receive that was tested in vain", 3, false,
     [](Script& s) {
       const Ref receive = s.receive(1, MpiCall::MPI_Irecv, 0, 0, fresh(s));
       s.send(0, MpiCall::MPI_Send, 1, 0, fresh(s));
       s.wait(1, MpiCall::MPI_Test, {s.request(receive)}, {}, false);
       s.probe(1, MpiCall::MPI_Iprobe, 0, 1, {});
     }},
    {"a probe", 3, true,
     [](Script& s) {
       s.send(0, MpiCall::MPI_Send, 1, 0, fresh(s));
       s.probe(1, MpiCall::MPI_Iprobe, kAnySource.value, kAnyTag, Got{0, 0, 8});
     }},
    {"a probe for the second message, after a receive posted for the first", 3, true,
     [](Script& s) {
       s.send(2, MpiCall::MPI_Send, 1, 0, fresh(s));
       const Ref first = s.receive(1, MpiCall::MPI_Irecv, kAnySource.value, kAnyTag, fresh(s));
       s.send(0, MpiCall::MPI_Send, 1, 0, fresh(s));
       s.probe(1, MpiCall::MPI_Probe, kAnySource.value, 0, Got{0, 0, 8});
       s.wait(s.request(first), {2, 0, 8});
     }},
    {"a matched probe", 3, true,
     [](Script& s) {
       s.send(0, MpiCall::MPI_Send, 1, 0, fresh(s));
       s.probe(1, MpiCall::MPI_Mprobe, 0, 0, Got{0, 0, 8});
     }},
    {"a synchronous send back", 3, true,
     [](Script& s) {
       s.send(1, MpiCall::MPI_Ssend, 0, 0, fresh(s));
       s.receive(0, 1, 0, fresh(s), {1, 0, 8});
     }},
    {"a synchronous send back, not yet complete", 3, false,
     [](Script& s) {
       s.send(1, MpiCall::MPI_Issend, 0, 0, fresh(s));
       s.receive(0, 1, 0, fresh(s), {1, 0, 8});
     }},
    {"a synchronous send back, found by a matched probe and received later", 3, true,
     [](Script& s) {
       s.send(1, MpiCall::MPI_Ssend, 0, 0, fresh(s));
       const Ref probe = s.probe(0, MpiCall::MPI_Mprobe, 1, 0, Got{1, 0, 8});
       s.matched_receive(0, probe, fresh(s), {1, 0, 8});
     }},
    {"an exchange", 3, true,
     [](Script& s) {
       s.send_receive(0, 1, fresh(s), 1, fresh(s), 0, {1, 0, 8});
       s.send_receive(1, 0, fresh(s), 0, fresh(s), 0, {0, 0, 8});
     }},
    {"a persistent message", 3, true,
     [](Script& s) {
       s.start(0, {s.request(s.send(0, MpiCall::MPI_Send_init, 1, 0, fresh(s)))});
       s.receive(1, 0, 0, fresh(s), {0, 0, 8});
     }},
    {"a barrier", 3, true, [](Script& s) { s.barrier(); }},
    {"a barrier among the two", 3, true, [](Script& s) { s.barrier(s.comm({1, 0})); }},
    {"a barrier among others", 4, false, [](Script& s) { s.barrier(s.comm({0, 3})); }},
    {"two barriers that share a rank", 4, true,
     [](Script& s) {
       s.barrier(s.comm({0, 3}));
       s.barrier(s.comm({3, 1}));
     }},
    {"a barrier between two groups", 4, true,
     [](Script& s) { s.barrier(s.intercomm({0, 2}, {1, 3})); }},
    {"a barrier with another group", 4, false,
     [](Script& s) { s.barrier(s.intercomm({0, 1}, {2, 3})); }},
    {"bcast from the first", 3, true, [](Script& s) { all_do(s, MpiCall::MPI_Bcast, kWorld, 0); }},
    {"bcast from the second", 3, false,
     [](Script& s) { all_do(s, MpiCall::MPI_Bcast, kWorld, 1); }},
    {"bcast from a third", 3, false, [](Script& s) { all_do(s, MpiCall::MPI_Bcast, kWorld, 2); }},
    {"bcast of nothing", 3, false, [](Script& s) { all_do(s, MpiCall::MPI_Bcast, kWorld, 0, 0); }},
    {"reduce to the second", 3, true, [](Script& s) { all_do(s, MpiCall::MPI_Reduce, kWorld, 1); }},
    {"reduce to the first", 3, false, [](Script& s) { all_do(s, MpiCall::MPI_Reduce, kWorld, 0); }},
    {"allreduce", 3, true, [](Script& s) { all_do(s, MpiCall::MPI_Allreduce, kWorld, {}); }},
    {"allreduce of nothing", 3, false,
     [](Script& s) { all_do(s, MpiCall::MPI_Allreduce, kWorld, {}, 0); }},
    {"alltoall", 3, true, [](Script& s) { all_do(s, MpiCall::MPI_Alltoall, kWorld, {}); }},
    {"scan", 3, true, [](Script& s) { all_do(s, MpiCall::MPI_Scan, kWorld, {}); }},
    {"exscan, backwards", 3, false,
     [](Script& s) { all_do(s, MpiCall::MPI_Exscan, s.comm({2, 1, 0}), {}); }},
    {"neighbours", 4, true,
     [](Script& s) { all_do(s, MpiCall::MPI_Neighbor_allgather, s.ring({0, 1, 2, 3}), {}); }},
    {"no neighbours", 4, false,
     [](Script& s) { all_do(s, MpiCall::MPI_Neighbor_alltoall, s.ring({1, 0, 2, 3}), {}); }},
    {"a communicator made", 3, true,
     [](Script& s) {
       const CommRef made = s.comm({0, 2});
       for (int rank = 0; rank < 3; ++rank)
         s.comm_create(rank, MpiCall::MPI_Comm_split, kWorld, made);
     }},
    {"a window made", 3, true,
     [](Script& s) {
       const WinRef made = s.window({.recorded = false});
       for (int rank = 0; rank < 3; ++rank) s.win_create(rank, made);
     }},
    {"another window's post and start", 3, true,
     [](Script& s) {
       const WinRef other = s.window({.recorded = false});
       s.post(0, other, {1});
       s.start(1, other, {0});
     }},
    {"another window's complete and wait, and an exclusive lock", 3, false,
     [](Script& s) {
       const WinRef other = s.window({.recorded = false}), third = s.window({.recorded = false});
       s.post(0, other, {1});
       s.window_call(0, MpiCall::MPI_Win_sync, other);
       s.lock(0, third, 2, true);
       s.window_call(0, MpiCall::MPI_Win_unlock, third, 2);
       s.lock(1, third, 2, true);
       s.window_call(1, MpiCall::MPI_Win_unlock, third, 2);
     }},
    {"a barrier in two halves, around", 3, true,
     [](Script& s) {
       std::vector<Ref> begun;
       for (int rank = 0; rank < 3; ++rank)
         begun.push_back(s.collective(rank, MpiCall::MPI_Ibarrier, kWorld));
       for (const Ref barrier : begun) s.wait(s.request(barrier));
     }},
    {"a barrier in two halves, with MPI_Request_get_status that says so", 3, true,
     [](Script& s) {
       std::vector<Ref> begun;
       for (int rank = 0; rank < 3; ++rank)
         begun.push_back(s.collective(rank, MpiCall::MPI_Ibarrier, kWorld));
       s.get_status(1, s.request(begun[1]), true);
     }},
    {"a barrier in two halves, waited for too late", 3, false,
     [](Script& s) {
       for (int rank = 0; rank < 3; ++rank) s.collective(rank, MpiCall::MPI_Ibarrier, kWorld);
     }},
};

const Made kMoreOrder[] = {
    {"the buffer of a collective that orders all is used from its start on", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock(0, w, 1, false);
       const Ref put = s.put(0, w, 1, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock, w, 1);
       s.collective(0, MpiCall::MPI_Allgather, kWorld, {}, fresh(s),
                    {s.fresh(24), 24, kPlainBytes});
       const Ref gather = s.collective(1, MpiCall::MPI_Allgather, kWorld, {},
                                       {kBase, 8, kPlainBytes}, {s.fresh(24), 24, kPlainBytes});
       s.collective(2, MpiCall::MPI_Allgather, kWorld, {}, fresh(s),
                    {s.fresh(24), 24, kPlainBytes});
       s.load(1, kBase, 8);
       return {{put, gather, NoOrder}};
     }},
    {"a second message of one kind, seen by a probe while a receive has the first", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       everybody_locks(s, w);
       s.send(1, MpiCall::MPI_Send, 0, 0, fresh(s));
       s.get(1, w, 0, 0, 8);
       s.window_call(1, MpiCall::MPI_Win_flush, w, 0);
       s.send(1, MpiCall::MPI_Send, 0, 0, fresh(s));
       const Ref first = s.receive(0, MpiCall::MPI_Irecv, kAnySource.value, 0, fresh(s));
       s.probe(0, MpiCall::MPI_Mprobe, kAnySource.value, 0, Got{1, 0, 8});
       s.store(0, kBase, 8);
       s.wait(s.request(first), {1, 0, 8});
       everybody_unlocks(s, w);
       return {};
     }},
    {"a barrier in two halves, entered too early", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       everybody_locks(s, w);
       const Ref early = s.collective(0, MpiCall::MPI_Ibarrier, kWorld);
       const Ref one = s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
       s.wait(s.request(early));
       for (const int rank : {1, 2})
         s.wait(s.request(s.collective(rank, MpiCall::MPI_Ibarrier, kWorld)));
       const Ref other = s.put(1, w, 2, 0, 8);
       everybody_unlocks(s, w);
       return {{one, other, NoOrder}};
     }},
    {"a put that is not flushed before the message", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       everybody_locks(s, w);
       const Ref one = s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush_local, w, 2);
       message(s, 0, 1);
       const Ref other = s.put(1, w, 2, 0, 8);
       everybody_unlocks(s, w);
       return {{one, other, NoOrder}};
     }},
    {"messages of one kind do not overtake, whenever the receives are waited for", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       everybody_locks(s, w);
       s.send(0, MpiCall::MPI_Isend, 1, 0, fresh(s));
       const Ref one = s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
       s.send(0, MpiCall::MPI_Isend, 1, 0, fresh(s));
       const Ref first = s.receive(1, MpiCall::MPI_Irecv, kAnySource.value, 0, fresh(s));
       const Ref second = s.receive(1, MpiCall::MPI_Irecv, 0, kAnyTag, fresh(s));
       s.wait(s.request(first), {0, 0, 8});
       const Ref early = s.put(1, w, 2, 0, 8);
       s.window_call(1, MpiCall::MPI_Win_flush, w, 2);
       s.wait(s.request(second), {0, 0, 8});
       s.put(1, w, 2, 0, 8);
       everybody_unlocks(s, w);
       return {{one, early, NoOrder}};
     }},
    {"messages with two tags do", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       everybody_locks(s, w);
       s.send(0, MpiCall::MPI_Isend, 1, 5, fresh(s));
       s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
       s.send(0, MpiCall::MPI_Isend, 1, 6, fresh(s));
       s.receive(1, 0, 6, fresh(s), {0, 6, 8});
       s.put(1, w, 2, 0, 8);
       everybody_unlocks(s, w);
       return {};
     }},
    {"communicators keep messages apart", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       const CommRef other = s.comm({0, 1});
       everybody_locks(s, w);
       s.send(0, MpiCall::MPI_Send, 1, 0, fresh(s), other);
       const Ref one = s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
       s.send(0, MpiCall::MPI_Send, 1, 0, fresh(s));
       s.receive(1, 0, 0, fresh(s), {0, 0, 8}, other);
       const Ref early = s.put(1, w, 2, 0, 8);
       s.window_call(1, MpiCall::MPI_Win_flush, w, 2);
       s.receive(1, 0, 0, fresh(s), {0, 0, 8});
       s.put(1, w, 2, 0, 8);
       everybody_unlocks(s, w);
       return {{one, early, NoOrder}};
     }},
    {"a fence of some ranks orders those", 3,
     [](Script& s) -> Races {
       const WinRef some = s.window({.comm = s.comm({0, 2}), .base = kBase + 0x100}),
                    all = s.window();
       everybody_locks(s, all);
       const Ref one = s.put(0, all, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush, all, 2);
       s.fence_all(some);
       s.load(2, kBase, 8);
       const Ref other = s.get(1, all, 2, 0, 8);
       everybody_unlocks(s, all);
       return {{one, other, NoOrder}};
     }},
    {"a window freed orders all", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window(), other = s.window();
       s.lock(0, w, 2, false);
       s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock, w, 2);
       for (int rank = 0; rank < 3; ++rank) s.window_call(rank, MpiCall::MPI_Win_free, other);
       s.lock(1, w, 2, false);
       s.put(1, w, 2, 0, 8);
       s.window_call(1, MpiCall::MPI_Win_unlock, w, 2);
       return {};
     }},
};

// --- atomics: a counter, flag or lock at the end of rank 2's window

constexpr std::uint64_t kWord = 56;

Ref flushed(Script& s, int rank, WinRef win, Ref atomic, std::optional<std::uint64_t> result) {
  const Ref flush = s.window_call(rank, MpiCall::MPI_Win_flush, win, 2);
  if (result) s.result(flush, atomic, *result);
  return flush;
}

Races with_flag(Script& s, bool flush_put, std::string_view set_with, std::uint64_t seen,
                bool ordered) {
  const WinRef w = s.window();
  const TypeRef type = s.type("MPI_INT64_T");
  everybody_locks(s, w);
  flushed(s, 1, w, s.fetch(1, w, 2, kWord, type, "MPI_NO_OP"), 0);
  const Ref one = s.put(0, w, 2, 0, 8);
  if (flush_put) s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
  s.accumulate(0, w, 2, kWord, type, set_with, 1);
  flushed(s, 1, w, s.fetch(1, w, 2, kWord, type, "MPI_NO_OP"), seen);
  const Ref other = s.put(1, w, 2, 0, 8);
  everybody_unlocks(s, w);
  return ordered ? Races{} : Races{{one, other, NoOrder}};
}

// The flag is the second of two words; `at_once`: one atomic reads both.
Races with_record(Script& s, std::string_view set_with, bool at_once, std::uint64_t seen,
                  bool ordered) {
  const WinRef w = s.window();
  const TypeRef type = s.type("MPI_INT64_T");
  everybody_locks(s, w);
  flushed(s, 1, w, s.fetch(1, w, 2, kWord, type, "MPI_NO_OP"), 0);
  const Ref one = s.put(0, w, 2, 0, 8);
  s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
  s.one_sided(0, MpiCall::MPI_Accumulate, w, 2,
              {.origin = {s.fresh(16), 2, type},
               .remote = {kWord - 8, 2, type},
               .op = set_with,
               .operand = 5,
               .several = true,
               .more_operands = {1}});
  s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
  if (at_once) {
    const Ref check = s.one_sided(1, MpiCall::MPI_Get_accumulate, w, 2,
                                  {.result = {s.fresh(16), 2, type},
                                   .remote = {kWord - 8, 2, type},
                                   .op = "MPI_NO_OP",
                                   .several = true});
    const Ref flush = s.window_call(1, MpiCall::MPI_Win_flush, w, 2);
    s.result(flush, check, 0);
    s.result(flush, check, seen, 1);
  } else {
    flushed(s, 1, w, s.fetch(1, w, 2, kWord, type, "MPI_NO_OP"), seen);
  }
  const Ref other = s.put(1, w, 2, 0, 8);
  everybody_unlocks(s, w);
  return ordered ? Races{} : Races{{one, other, NoOrder}};
}

const Made kAtomics[] = {
    {"a flag in a record that was set at once, and seen", 3,
     [](Script& s) { return with_record(s, "MPI_REPLACE", false, 1, true); }},
    {"a counter in a record that was raised at once, and seen", 3,
     [](Script& s) { return with_record(s, "MPI_SUM", false, 1, true); }},
    {"a flag in a record that was not seen yet", 3,
     [](Script& s) { return with_record(s, "MPI_REPLACE", false, 0, false); }},
    {"flags that are looked at all at once, one of them set", 3,
     [](Script& s) { return with_record(s, "MPI_REPLACE", true, 1, true); }},
    {"flags that are looked at all at once, none of them set", 3,
     [](Script& s) { return with_record(s, "MPI_REPLACE", true, 0, false); }},
    {"a flag that was set after the put was complete, and seen", 3,
     [](Script& s) { return with_flag(s, true, "MPI_REPLACE", 1, true); }},
    {"a flag that was not seen yet", 3,
     [](Script& s) { return with_flag(s, true, "MPI_REPLACE", 0, false); }},
    {"a flag that was set while the put was in flight", 3,
     [](Script& s) { return with_flag(s, false, "MPI_REPLACE", 1, false); }},
    {"a counter that was raised, and seen", 3,
     [](Script& s) { return with_flag(s, true, "MPI_SUM", 1, true); }},
    {"a lock that is taken with compare-and-swap and given back", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       const TypeRef type = s.type("MPI_INT");
       everybody_locks(s, w);
       for (const int rank : {0, 1}) {
         flushed(s, rank, w, s.compare_and_swap(rank, w, 2, kWord, type, 0, 1), 0);
         s.put(rank, w, 2, 0, 8);
         s.window_call(rank, MpiCall::MPI_Win_flush, w, 2);
         flushed(s, rank, w, s.accumulate(rank, w, 2, kWord, type, "MPI_REPLACE", 0), {});
       }
       everybody_unlocks(s, w);
       return {};
     }},
    {"a swap that failed has taken nothing", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       const TypeRef type = s.type("MPI_INT");
       everybody_locks(s, w);
       flushed(s, 0, w, s.compare_and_swap(0, w, 2, kWord, type, 0, 1), 0);
       const Ref one = s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
       flushed(s, 1, w, s.compare_and_swap(1, w, 2, kWord, type, 0, 1), 1);
       const Ref other = s.put(1, w, 2, 0, 8);
       everybody_unlocks(s, w);
       return {{one, other, NoOrder}};
     }},
    {"tickets: each follows all before it", 4,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       const TypeRef type = s.type("MPI_INT64_T");
       everybody_locks(s, w);
       Ref early[4];
       for (const int rank : {0, 1, 3}) {
         if (rank != 1) early[rank] = s.put(rank, w, 2, 0, 8);
         s.window_call(rank, MpiCall::MPI_Win_flush, w, 2);
         flushed(s, rank, w, s.fetch(rank, w, 2, kWord, type, "MPI_SUM", 1), rank == 3 ? 2 : rank);
       }
       s.put(3, w, 2, 0, 8);
       everybody_unlocks(s, w);
       return {{early[0], early[3], NoOrder}};
     }},
    {"a sum that takes all of them to make it", 4,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       const TypeRef type = s.type("MPI_INT");
       everybody_locks(s, w);
       flushed(s, 3, w, s.fetch(3, w, 2, kWord, type, "MPI_NO_OP"), 0);
       for (const int rank : {0, 1}) {
         s.put(rank, w, 2, 8 * static_cast<std::uint64_t>(rank), 8);
         s.window_call(rank, MpiCall::MPI_Win_flush, w, 2);
         s.accumulate(rank, w, 2, kWord, type, "MPI_SUM", 1);
       }
       flushed(s, 3, w, s.fetch(3, w, 2, kWord, type, "MPI_NO_OP"), 2);
       s.put(3, w, 2, 0, 16);
       everybody_unlocks(s, w);
       return {};
     }},
    {"a value that no atomic wrote orders nothing", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       const TypeRef type = s.type("MPI_INT");
       everybody_locks(s, w);
       const Ref one = s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
       flushed(s, 0, w, s.fetch(0, w, 2, kWord, type, "MPI_NO_OP"), 7);
       flushed(s, 1, w, s.fetch(1, w, 2, kWord, type, "MPI_SUM", 0), 7);
       const Ref other = s.put(1, w, 2, 0, 8);
       everybody_unlocks(s, w);
       return {{one, other, NoOrder}};
     }},
};

}  // namespace

void add_order_cases(std::vector<Case>& cases) {
  for (const Link& link : kLinks) {
    Script script(link.ranks);
    const Races races = through(script, link);
    cases.push_back(finish(link.name, script, races));
  }
  for (const Made& made : kMoreOrder) add(cases, made);
}

void add_atomic_cases(std::vector<Case>& cases) {
  for (const Made& made : kAtomics) add(cases, made);
}

}  // namespace photofinish::testing::made
