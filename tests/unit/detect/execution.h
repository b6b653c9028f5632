// Synthetic executions: the events that the ranks of a run would have recorded, without running
// anything.
//
// A Script writes events as the MPI front end does (frontend/mpi/buffers.cpp, roles.h). It does not
// check what matches what, or what is complete when. The author of a hand-made case, or the
// simulator, must make sure that MPI permits the execution.
//
// Every event has its own site, so that a finding is one pair of events. Handles have different ids
// on every rank, so that looking up one rank's id in another rank's definitions fails.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/rules.h"
#include "model/definitions.h"
#include "model/event.h"

namespace photofinish::testing {

struct Execution {
  struct Rank {
    Definitions definitions;
    std::vector<Event> events;
  };
  std::vector<Rank> ranks;
  RuleOptions options;
};

// The execution as a program of MPI calls, one event in each line.
std::string text(const Execution& execution);

// An event: its rank, and its index there.
struct Ref {
  int rank = 0;
  std::size_t event = 0;
  auto operator<=>(const Ref&) const = default;
};

// The task of an event: of ranks with threads, from their first numbered event on.
inline std::uint32_t task_of_event(const Event& event) {
  if (!event.fields.has(Field::order)) return 0;
  return event.fields.has(Field::line) ? static_cast<std::uint32_t>(event.fields[Field::line])
                                       : event.task.value;
}

// Handles of a script, the same for all ranks.
struct CommRef {
  int index = 0;
};
struct WinRef {
  int index = 0;
};
struct TypeRef {
  int index = 0;
};
struct RequestRef {
  Ref made;
  RequestId id;
};

inline constexpr CommRef kWorld{0};
inline constexpr TypeRef kPlainBytes{0};

// Elements in memory, at an address or at a displacement in a window.
struct Data {
  std::uint64_t at = 0;
  std::int64_t count = 1;
  TypeRef type;
};

struct WinShape {
  CommRef comm = kWorld;
  WinFlavour flavour = WinFlavour::Allocate;
  bool unified = true;
  std::uint64_t base = 0x1000;
  std::uint64_t size = 64;
  std::int64_t unit = 1;
  std::uint64_t stagger = 0;  // on each rank after the first, the window begins this much later and
                              // ends at the same address
  std::vector<std::int64_t> units;  // of each rank, if different
  std::string accumulate_ops;
  std::string accumulate_ordering;
  bool recorded = true;  // all ranks of the communicator call the constructor at once

  std::uint64_t base_of(int rank) const {
    return base + stagger * static_cast<std::uint64_t>(rank);
  }
  std::uint64_t size_of(int rank) const {
    return size - stagger * static_cast<std::uint64_t>(rank);
  }
  std::uint64_t unit_of(int rank) const {
    return static_cast<std::uint64_t>(units.empty() ? unit : units[static_cast<std::size_t>(rank)]);
  }
};

// The arguments of a one-sided call, as far as the call has them.
struct OneSided {
  Data origin, result, compare, remote;
  std::string_view op = "MPI_SUM";
  std::uint64_t operand = 0, compare_with = 0;  // bytes of the element
  bool several = false;                         // several elements, each an atomic
  std::vector<std::int64_t> more_operands;      // after the first one
};

// What a completed receive matched.
struct Got {
  int from = kProcNull.value;
  std::int64_t tag = kAnyTag;
  std::int64_t bytes = -1;
};

struct Done {
  RequestRef request;
  Got got;
};

class Script {
 public:
  explicit Script(int ranks);

  int size() const { return static_cast<int>(execution_.ranks.size()); }
  Execution& execution() { return execution_; }
  Event& event(Ref ref) {
    return execution_.ranks[static_cast<std::size_t>(ref.rank)].events[ref.event];
  }

  // --- handles; communicators are made without their constructor calls
  CommRef comm(std::vector<int> members);
  CommRef intercomm(std::vector<int> members, std::vector<int> others);
  CommRef ring(
      std::vector<int> members);  // the neighbors of each rank: the preceding and the following one
  WinRef window(WinShape shape = {});
  TypeRef type(std::string_view element);  // a predefined one
  TypeRef type(std::string_view element, const DataMap& map);
  const std::vector<int>& members(CommRef comm) const {
    return comms_[static_cast<std::size_t>(comm.index)].members;
  }
  const WinShape& shape(WinRef win) const { return wins_[static_cast<std::size_t>(win.index)]; }
  const TypeDefinition& definition(TypeRef type) const {
    return types_[static_cast<std::size_t>(type.index)];
  }
  std::uint64_t fresh(std::int64_t bytes);  // unused memory; each call returns a different address

  // --- memory
  Ref load(int rank, std::uint64_t address, std::int64_t bytes);
  Ref store(int rank, std::uint64_t address, std::int64_t bytes);

  // --- one-sided
  Ref one_sided(int rank, Call call, WinRef win, int target, const OneSided& given);
  // With local buffers that nothing else uses.
  Ref put(int rank, WinRef win, int target, std::uint64_t displacement, std::int64_t bytes);
  Ref get(int rank, WinRef win, int target, std::uint64_t displacement, std::int64_t bytes);
  // One element, with local buffers that nothing else uses.
  Ref accumulate(int rank, WinRef win, int target, std::uint64_t displacement, TypeRef type,
                 std::string_view op, std::uint64_t operand = 1);
  Ref fetch(int rank, WinRef win, int target, std::uint64_t displacement, TypeRef type,
            std::string_view op, std::uint64_t operand = 1);
  Ref compare_and_swap(int rank, WinRef win, int target, std::uint64_t displacement, TypeRef type,
                       std::uint64_t compare, std::uint64_t operand);
  // `atomic` had this result when `completing` returned.
  void result(Ref completing, Ref atomic, std::uint64_t value, std::int64_t element = 0);

  Ref window_call(int rank, Call call,
                  WinRef win);  // complete, wait, flush_all, unlock_all, sync, free …
  Ref window_call(int rank, Call call, WinRef win, int target);  // unlock, flush …
  Ref fence(int rank, WinRef win, std::int64_t assertion = 0);
  std::vector<Ref> fence_all(WinRef win, std::int64_t assertion = 0);
  Ref lock(int rank, WinRef win, int target, bool exclusive, std::int64_t assertion = 0);
  Ref lock_all(int rank, WinRef win, std::int64_t assertion = 0);
  Ref post(int rank, WinRef win, const std::vector<int>& group, std::int64_t assertion = 0);
  Ref start(int rank, WinRef win, const std::vector<int>& group, std::int64_t assertion = 0);
  Ref win_test(int rank, WinRef win, bool flag);
  Ref win_create(int rank, WinRef win);
  Ref win_attach(int rank, WinRef win, std::uint64_t address, std::int64_t bytes);
  Ref comm_create(int rank, Call call, CommRef parent,
                  CommRef made);  // MPI_Comm_idup makes a request

  // --- messages; nonblocking and persistent calls make a request, see request()
  Ref send(int rank, Call call, int to, std::int64_t tag, Data data, CommRef comm = kWorld);
  Ref receive(int rank, Call call, int from, std::int64_t tag, Data data,
              CommRef comm = kWorld);  // not completed
  Ref receive(int rank, int from, std::int64_t tag, Data data, Got got,
              CommRef comm = kWorld);  // MPI_Recv
  Ref send_receive(int rank, int to, Data data, int from, Data into, std::int64_t tag, Got got,
                   CommRef comm = kWorld);
  Ref send_receive_replace(int rank, int to, int from, Data data, std::int64_t tag, Got got,
                           CommRef comm = kWorld);
  Ref probe(int rank, Call call, int from, std::int64_t tag, std::optional<Got> got,
            CommRef comm = kWorld);
  Ref matched_receive(int rank, Ref probe, Data data, Got got);
  RequestRef request(Ref made);
  Ref start(int rank, const std::vector<RequestRef>& requests);
  // A wait or test with these requests that completed those.
  Ref wait(int rank, Call call, const std::vector<RequestRef>& requests,
           const std::vector<Done>& done, std::optional<bool> flag = {});
  Ref wait(RequestRef request, Got got = {});
  Ref get_status(int rank, RequestRef request, bool flag, Got got = {});
  Ref free_request(int rank, RequestRef request);
  Ref cancel(int rank, RequestRef request);  // and the wait that finds it cancelled
  Ref repeated(int rank, Call call,
               std::int64_t times);  // a call that returned without completing anything, this many
                                     // times more

  Ref finalize(int rank);
  void never_returns(Ref last) { event(last).returned = false; }

  // --- collectives; `reads` and `writes` without elements are omitted; with the same address they
  // are one buffer, MPI_IN_PLACE
  Ref collective(int rank, Call call, CommRef comm, std::optional<int> root = {},
                 Data reads = {0, 0, {}}, Data writes = {0, 0, {}});
  std::vector<Ref> barrier(CommRef comm = kWorld);

 private:
  struct CommShape {
    std::vector<int> members;
    std::vector<int> others;  // remote group of an intercommunicator
  };
  Ref add(int rank, Call call);
  Event& last(int rank) { return execution_.ranks[static_cast<std::size_t>(rank)].events.back(); }
  Definitions& definitions(int rank) {
    return execution_.ranks[static_cast<std::size_t>(rank)].definitions;
  }
  CommRef define_comm(CommShape shape, bool is_ring);
  GroupId group(int rank, const std::vector<int>& members);
  OpId op(int rank, std::string_view name);
  void buffer(int rank, BufferUse use, const Data& data);
  void number_requests(Event& event, const std::vector<RequestRef>& requests);

  Execution execution_;
  std::vector<CommShape> comms_;
  std::vector<WinShape> wins_;
  std::vector<TypeDefinition> types_;
  std::vector<std::int64_t> requests_, atomics_, messages_;  // number made by each rank
  std::uint64_t fresh_ = 0x100000;
  std::uint64_t time_ = 0;
};

CommId comm_id(int rank, CommRef comm);
WinId win_id(int rank, WinRef win);
TypeId type_id(int rank, TypeRef type);

}  // namespace photofinish::testing
