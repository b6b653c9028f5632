// Cases: when accesses begin and end.
#include "cases_made.h"
#include "frontend/mpi/table/mpi_call.h"

namespace photofinish::testing::made {
namespace {

const Made kLocal[] = {
    {"the buffer of a put is stored to before the put is locally complete", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock(0, w, 1, false);
       const Ref put =
           s.one_sided(0, MpiCall::MPI_Put, w, 1, {.origin = kInts, .remote = {0, 8, kPlainBytes}});
       s.load(0, kBuffer, 8);
       const Ref store = s.store(0, kBuffer + 7, 1);
       s.store(0, kBuffer + 8, 8);
       s.window_call(0, MpiCall::MPI_Win_flush_local, w, 1);
       s.store(0, kBuffer, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock, w, 1);
       return {{put, store, NotComplete}};
     }},
    {"the result of a get is read before the get is complete", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock(0, w, 1, false);
       s.store(0, kBuffer, 8);
       const Ref get =
           s.one_sided(0, MpiCall::MPI_Get, w, 1, {.origin = kInts, .remote = {0, 8, kPlainBytes}});
       const Ref load = s.load(0, kBuffer, 8);
       s.window_call(0, MpiCall::MPI_Win_flush_local_all, w);
       s.load(0, kBuffer, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock, w, 1);
       return {{get, load, NotComplete}};
     }},
    {"a fetch reads its origin and its comparand, and writes its result", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       const TypeRef type = s.type("MPI_INT64_T");
       s.lock(0, w, 1, false);
       const Ref swap = s.one_sided(0, MpiCall::MPI_Compare_and_swap, w, 1,
                                    {.origin = {kBuffer, 1, type},
                                     .result = {kBuffer + 8, 1, type},
                                     .compare = {kBuffer + 16, 1, type},
                                     .remote = {0, 1, type}});
       s.load(0, kBuffer, 8);
       s.load(0, kBuffer + 16, 8);
       const Ref origin = s.store(0, kBuffer, 8), result = s.load(0, kBuffer + 8, 8),
                 compare = s.store(0, kBuffer + 16, 8);
       const Ref unlock = s.window_call(0, MpiCall::MPI_Win_unlock, w, 1);
       s.result(unlock, swap, 0);
       return {
           {swap, origin, NotComplete}, {swap, result, NotComplete}, {swap, compare, NotComplete}};
     }},
    {"a send's buffer may be read and not written until it completes, and a test that says no does "
     "not complete it",
     2,
     [](Script& s) -> Races {
       s.store(0, kBuffer, 8);
       const Ref send = s.send(0, MpiCall::MPI_Isend, 1, 0, kInts);
       s.load(0, kBuffer, 8);
       s.wait(0, MpiCall::MPI_Test, {s.request(send)}, {}, false);
       s.repeated(0, MpiCall::MPI_Test, 100);
       const Ref store = s.store(0, kBuffer, 1);
       s.wait(0, MpiCall::MPI_Test, {s.request(send)}, {{s.request(send), {}}}, true);
       s.store(0, kBuffer, 1);
       s.receive(1, 0, 0, fresh(s), {0, 0, 8});
       return {{send, store, NotComplete}};
     }},
    {"a receive's buffer may not be touched until it completes", 2,
     [](Script& s) -> Races {
       s.send(1, MpiCall::MPI_Send, 0, 0, fresh(s));
       s.load(0, kBuffer, 8);
       const Ref receive = s.receive(0, MpiCall::MPI_Irecv, 1, 0, kInts);
       const Ref load = s.load(0, kBuffer, 8), store = s.store(0, kBuffer, 8);
       s.wait(s.request(receive), {1, 0, 8});
       s.load(0, kBuffer, 8);
       return {{receive, load, NotComplete}, {receive, store, NotComplete}};
     }},
    {"MPI_Request_get_status that says so completes", 2,
     [](Script& s) -> Races {
       const Ref one = s.send(0, MpiCall::MPI_Isend, 1, 0, kInts);
       s.get_status(0, s.request(one), false);
       const Ref store = s.store(0, kBuffer, 8);
       s.get_status(0, s.request(one), true);
       s.store(0, kBuffer, 8);
       s.wait(s.request(one));
       return {{one, store, NotComplete}};
     }},
    {"after MPI_Request_free, a send ends when the rank hears from another one", 2,
     [](Script& s) -> Races {
       const Ref send = s.send(0, MpiCall::MPI_Isend, 1, 1, kInts);
       s.free_request(0, s.request(send));
       const Ref store = s.store(0, kBuffer, 8);
       s.receive(1, 0, 1, fresh(s), {0, 1, 8});
       s.send(1, MpiCall::MPI_Send, 0, 0, fresh(s));
       s.receive(0, 1, 0, fresh(s), {1, 0, 8});
       s.store(0, kBuffer, 8);
       return {{send, store, NotComplete}};
     }},
    {"a persistent send reads from its start to its completion", 2,
     [](Script& s) -> Races {
       const RequestRef request = s.request(s.send(0, MpiCall::MPI_Send_init, 1, 0, kInts));
       s.store(0, kBuffer, 8);
       Races races;
       for (int round = 0; round < 2; ++round) {
         const Ref start = s.start(0, {request});
         races.push_back({start, s.store(0, kBuffer, 8), NotComplete});
         s.wait(request);
         s.store(0, kBuffer, 8);
         s.receive(1, 0, 0, fresh(s), {0, 0, 8});
       }
       return races;
     }},
    {"two receives of one MPI_Startall are two operations", 2,
     [](Script& s) -> Races {
       const RequestRef one = s.request(s.receive(0, MpiCall::MPI_Recv_init, 1, 0, kInts));
       const RequestRef other =
           s.request(s.receive(0, MpiCall::MPI_Recv_init, 1, 1, {kBuffer + 4, 8, kPlainBytes}));
       s.send(1, MpiCall::MPI_Send, 0, 0, fresh(s));
       s.send(1, MpiCall::MPI_Send, 0, 1, fresh(s));
       const Ref start = s.start(0, {one, other});
       s.wait(0, MpiCall::MPI_Waitall, {one, other}, {{one, {1, 0, 8}}, {other, {1, 1, 8}}});
       return {{start, start, NotComplete}};
     }},
    {"two buffers of one call are not compared", 2,
     [](Script& s) -> Races {
       for (int rank = 0; rank < 2; ++rank) {
         const Ref reduce = s.collective(rank, MpiCall::MPI_Iallreduce, kWorld, {}, kInts, kInts);
         s.wait(s.request(reduce));
       }
       return {};
     }},
    {"blocking calls are over when they return", 2,
     [](Script& s) -> Races {
       s.store(0, kBuffer, 8);
       s.send(0, MpiCall::MPI_Send, 1, 0, kInts);
       s.store(0, kBuffer, 8);
       s.receive(1, 0, 0, kInts, {0, 0, 8});
       s.load(1, kBuffer, 8);
       s.collective(0, MpiCall::MPI_Bcast, kWorld, 1, {}, kInts);
       s.collective(1, MpiCall::MPI_Bcast, kWorld, 1, kInts);
       s.store(1, kBuffer, 8);
       return {};
     }},
    {"a non-blocking collective uses its buffers until its wait", 2,
     [](Script& s) -> Races {
       const Ref reduce = s.collective(0, MpiCall::MPI_Iallreduce, kWorld, {}, kInts,
                                       {kBuffer + 8, 8, kPlainBytes});
       s.load(0, kBuffer, 8);
       const Ref store = s.store(0, kBuffer, 8), load = s.load(0, kBuffer + 8, 8);
       s.wait(s.request(reduce));
       s.load(0, kBuffer + 8, 8);
       s.wait(s.request(s.collective(1, MpiCall::MPI_Iallreduce, kWorld, {}, fresh(s), fresh(s))));
       return {{reduce, store, NotComplete}, {reduce, load, NotComplete}};
     }},
    {"what never completes has no end", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock_all(0, w);
       const Ref put = s.put(0, w, 1, 0, 8);
       const Ref get = s.get(0, w, 1, 0, 8);
       s.barrier();
       const Ref load = s.load(1, kBase, 1);
       return {{put, get, NotComplete}, {put, load, NoOrder}};
     }},
    {"the buffer of a call that does not return", 2,
     [](Script& s) -> Races {
       const Ref send = s.send(0, MpiCall::MPI_Isend, 1, 0, kInts);
       const Ref receive = s.receive(0, MpiCall::MPI_Recv, 1, 0, kInts);
       s.never_returns(receive);
       return {{send, receive, NotComplete}};
     }},
    {"operations on MPI_PROC_NULL are none", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock_all(0, w);
       s.one_sided(0, MpiCall::MPI_Put, w, kProcNull.value,
                   {.origin = kInts, .remote = {0, 8, kPlainBytes}});
       s.store(0, kBuffer, 8);
       const Ref receive = s.receive(0, MpiCall::MPI_Irecv, kProcNull.value, 0, kInts);
       s.store(0, kBuffer, 8);
       s.wait(s.request(receive), {kProcNull.value, kAnyTag, 0});
       s.window_call(0, MpiCall::MPI_Win_unlock_all, w);
       return {};
     }},
};

const Made kRemote[] = {
    {"two puts of one rank, with a flush, with a local one, without", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock(0, w, 1, true);
       s.put(0, w, 1, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush, w, 1);
       const Ref two = s.put(0, w, 1, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush_local, w, 1);
       const Ref three = s.put(0, w, 1, 4, 8), get = s.get(0, w, 1, 8, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock, w, 1);
       return {{two, three, NotComplete}, {three, get, NotComplete}};
     }},
    {"a flush is of one target", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.lock_all(0, w);
       const Ref one = s.put(0, w, 1, 0, 8);
       s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
       const Ref other = s.put(0, w, 1, 0, 8);
       s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_flush_all, w);
       s.put(0, w, 1, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock_all, w);
       return {{one, other, NotComplete}};
     }},
    {"the request of an rput completes it here only, that of an rget there too", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       const TypeRef byte = s.type("MPI_BYTE");
       s.lock_all(0, w);
       const Ref rput = s.one_sided(0, MpiCall::MPI_Rput, w, 1,
                                    {.origin = {kBuffer, 8, byte}, .remote = {0, 8, byte}});
       s.wait(s.request(rput));
       s.store(0, kBuffer, 8);
       const Ref put = s.put(0, w, 1, 0, 8);
       const Ref rget = s.one_sided(0, MpiCall::MPI_Rget, w, 1,
                                    {.origin = {kBuffer, 8, byte}, .remote = {16, 8, byte}});
       s.wait(s.request(rget));
       s.load(0, kBuffer, 8);
       s.put(0, w, 1, 16, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock_all, w);
       return {{rput, put, NotComplete}};
     }},
    {"operations on one's own window", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       everybody_locks(s, w);
       const Ref put = s.put(1, w, 1, 8, 8), load = s.load(1, kBase + 8, 8),
                 get = s.get(0, w, 1, 8, 1);
       s.window_call(1, MpiCall::MPI_Win_flush, w, 1);
       s.load(1, kBase + 8, 8);
       everybody_unlocks(s, w);
       return {{put, load, NotComplete}, {put, get, NoOrder}};
     }},
    {"puts of two ranks in one fence epoch, and in two", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.fence_all(w);
       const Ref one = s.put(0, w, 2, 0, 8), other = s.put(1, w, 2, 4, 8);
       s.fence_all(w);
       s.put(0, w, 2, 0, 8);
       s.fence_all(w);
       s.put(1, w, 2, 0, 8);
       s.fence_all(w, kNoSucceed);
       return {{one, other, NoOrder}};
     }},
    {"the owner's stores around a fence epoch with puts", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.store(1, kBase, 8);
       s.fence_all(w);
       const Ref put = s.put(0, w, 1, 0, 8), store = s.store(1, kBase + 4, 2);
       s.fence_all(w);
       s.load(1, kBase, 8);
       return {{put, store, NoOrder}};
     }},
    {"a fence with NOPRECEDE: the target has called it, and nobody has waited", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       const TypeRef byte = s.type("MPI_BYTE");
       s.store(1, kBase, 8);
       s.fence_all(w, kNoPrecede);
       const Ref put = s.put(0, w, 1, 0, 8), load = s.load(1, kBase, 8);
       // Rank 2's buffer is its own memory; rank 0 puts there before rank 2's fence.
       const Ref into = s.one_sided(0, MpiCall::MPI_Put, w, 2,
                                    {.origin = {s.fresh(8), 8, byte}, .remote = {8, 8, byte}});
       const Ref store = s.store(2, kBase + 8, 8);
       s.fence_all(w);
       return {{put, load, NoOrder}, {into, store, NoOrder}};
     }},
    {"a fence with NOPRECEDE orders no other memory", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window(), other = s.window({.base = kBase + 0x100});
       s.lock_all(0, other);
       const Ref put = s.put(0, other, 1, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_unlock_all, other);
       s.fence_all(w, kNoPrecede);
       const Ref load = s.load(1, kBase + 0x100, 8);
       s.fence_all(w);
       s.load(1, kBase + 0x100, 8);
       return {{put, load, NoOrder}};
     }},
    {"a barrier inside the owner's epoch, before the other's fence with NOPRECEDE", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.fence(1, w, kNoPrecede);
       s.load(1, kBase, 8);
       s.barrier();
       const Ref load = s.load(1, kBase, 8);
       s.fence(0, w, kNoPrecede);
       const Ref put = s.put(0, w, 1, 0, 8);
       s.fence_all(w);
       return {{put, load, NoOrder}};
     }},
    {"post, start, complete, wait: what the owner may do when", 2,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.store(1, kBase, 8);
       s.post(1, w, {0});
       const Ref store = s.store(1, kBase, 8);
       s.win_test(1, w, false);
       const Ref load = s.load(1, kBase, 8);
       s.start(0, w, {1});
       const Ref put = s.put(0, w, 1, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_complete, w);
       s.window_call(1, MpiCall::MPI_Win_wait, w);
       s.load(1, kBase, 8);
       return {{put, store, NoOrder}, {put, load, NoOrder}};
     }},
    {"complete completes a put here and not there, and a get everywhere", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window(), v = s.window();  // two windows over one memory
       const TypeRef byte = s.type("MPI_BYTE");
       s.lock_all(2, v);
       s.post(1, w, {0});
       s.start(0, w, {1});
       const Ref put = s.one_sided(0, MpiCall::MPI_Put, w, 1,
                                   {.origin = {kBuffer, 8, byte}, .remote = {0, 8, byte}});
       s.get(0, w, 1, 8, 8);
       s.window_call(0, MpiCall::MPI_Win_complete, w);
       s.store(0, kBuffer, 8);
       message(s, 0, 2);
       const Ref late = s.put(2, v, 1, 0, 8);
       s.put(2, v, 1, 8, 8);
       s.window_call(2, MpiCall::MPI_Win_flush_all, v);
       s.win_test(1, w, true);
       message(s, 1, 2);
       s.put(2, v, 1, 0, 8);
       s.window_call(2, MpiCall::MPI_Win_unlock_all, v);
       return {{put, late, NoOrder}};
     }},
    {"the k-th start goes with the k-th post between two ranks", 3,
     [](Script& s) -> Races {
       const WinRef w = s.window();
       s.post(2, w, {0});
       s.start(0, w, {2});
       s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_complete, w);
       s.window_call(2, MpiCall::MPI_Win_wait, w);
       s.load(2, kBase, 8);
       s.post(2, w, {1, 0});
       s.start(1, w, {2});
       const Ref one = s.put(1, w, 2, 0, 8);
       s.window_call(1, MpiCall::MPI_Win_complete, w);
       s.start(0, w, {2});
       const Ref other = s.put(0, w, 2, 0, 8);
       s.window_call(0, MpiCall::MPI_Win_complete, w);
       s.window_call(2, MpiCall::MPI_Win_wait, w);
       s.load(2, kBase, 8);
       return {{one, other, NoOrder}};
     }},
};

}  // namespace

void add_access_cases(std::vector<Case>& cases) {
  for (const Made& made : kLocal) add(cases, made);
  for (const Made& made : kRemote) add(cases, made);
}

}  // namespace photofinish::testing::made
