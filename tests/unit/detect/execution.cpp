#include "execution.h"
#include "frontend/mpi/table/elements.h"
#include "frontend/mpi/table/mpi_call.h"

#include <algorithm>
#include <sstream>

namespace photofinish::testing {
namespace {

std::vector<WorldRank> world_ranks(const std::vector<int>& ranks) {
  std::vector<WorldRank> made;
  for (const int rank : ranks) made.push_back(WorldRank(rank));
  return made;
}

// A handle has a different number on each rank.
std::uint32_t id_of(int rank, int index) {
  return static_cast<std::uint32_t>(1 + index * 7 + rank * 3);
}

bool brings_back(Action action) {
  return action == Action::Get || action == Action::GetAccumulate || action == Action::FetchAndOp ||
         action == Action::CompareAndSwap;
}

}  // namespace

CommId comm_id(int rank, CommRef comm) { return CommId(id_of(rank, comm.index)); }
WinId win_id(int rank, WinRef win) { return WinId(id_of(rank, win.index)); }
TypeId type_id(int rank, TypeRef type) {
  return type.index == 0 ? TypeId(0) : TypeId(id_of(rank, type.index));
}

Script::Script(int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  execution_.ranks.resize(count);
  requests_.resize(count);
  atomics_.resize(count);
  messages_.resize(count);
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) {
    all.push_back(rank);
    Definitions& made = definitions(rank);
    made.rank = {.rank = WorldRank(rank),
                 .world_size = ranks,
                 .host = "here",
                 .pid = 100 + rank,
                 .library = "made up",
                 .program = "/program"};
    made.tasks[TaskId(1)] = {TaskId(1), 100 + rank};
    made.modules[ModuleId(1)] = {ModuleId(1), "/program", "c0ffee", 0x400000};
  }
  comm(all);
  types_.push_back({TypeId(0), "bytes", "", contiguous_map(1)});
}

// --- handles

GroupId Script::group(int rank, const std::vector<int>& members) {
  auto& groups = definitions(rank).groups;
  const std::vector<WorldRank> ranks = world_ranks(members);
  for (const auto& [id, group] : groups)
    if (group.ranks == ranks) return id;
  const GroupId id(id_of(rank, static_cast<int>(groups.size())));
  groups[id] = {id, ranks};
  return id;
}

CommRef Script::define_comm(CommShape shape, bool is_ring) {
  const CommRef made{static_cast<int>(comms_.size())};
  const auto define = [&](const std::vector<int>& own, const std::vector<int>& remote) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      const int rank = own[i];
      CommDefinition definition{.id = comm_id(rank, made),
                                .uid = Uid(1000 + static_cast<std::uint64_t>(made.index)),
                                .name = made.index == 0 ? "MPI_COMM_WORLD" : "",
                                .group = group(rank, own)};
      if (!remote.empty()) definition.remote_group = group(rank, remote);
      if (is_ring) {
        const WorldRank before(own[(i + own.size() - 1) % own.size()]),
            after(own[(i + 1) % own.size()]);
        definition.has_topology = true;
        definition.sources = {before};
        definition.destinations = {after};
      }
      definitions(rank).comms[definition.id] = definition;
    }
  };
  define(shape.members, shape.others);
  define(shape.others, shape.members);
  comms_.push_back(std::move(shape));
  return made;
}

CommRef Script::comm(std::vector<int> members) {
  return define_comm({std::move(members), {}}, false);
}
CommRef Script::intercomm(std::vector<int> members, std::vector<int> others) {
  return define_comm({std::move(members), std::move(others)}, false);
}
CommRef Script::ring(std::vector<int> members) {
  return define_comm({std::move(members), {}}, true);
}

WinRef Script::window(WinShape shape) {
  const WinRef made{static_cast<int>(wins_.size())};
  if (shape.flavour == WinFlavour::Dynamic) {
    shape.base = shape.size = shape.stagger = 0;
    shape.unit = 1;
    shape.units.clear();
  }
  for (const int rank : members(shape.comm))
    definitions(rank).wins[win_id(rank, made)] = {
        .id = win_id(rank, made),
        .uid = Uid(2000 + static_cast<std::uint64_t>(made.index)),
        .name = "",
        .comm = comm_id(rank, shape.comm),
        .flavour = shape.flavour,
        .unified = shape.unified,
        .base = shape.base_of(rank),
        .size = shape.size_of(rank),
        .unit = static_cast<std::int64_t>(shape.unit_of(rank)),
        .accumulate_ops = shape.accumulate_ops,
        .accumulate_ordering = shape.accumulate_ordering};
  wins_.push_back(std::move(shape));
  if (wins_.back().recorded)
    for (const int rank : members(wins_.back().comm)) win_create(rank, made);
  return made;
}

TypeRef Script::type(std::string_view element) {
  return type(element, contiguous_map(element_of(element).size));
}

TypeRef Script::type(std::string_view element, const DataMap& map) {
  for (std::size_t i = 1; i < types_.size(); ++i)
    if (types_[i].element == element && types_[i].map == map) return {static_cast<int>(i)};
  const TypeRef made{static_cast<int>(types_.size())};
  types_.push_back({TypeId(0), std::string(element), std::string(element), map});
  for (int rank = 0; rank < size(); ++rank) {
    TypeDefinition definition = types_.back();
    definition.id = type_id(rank, made);
    definitions(rank).types[definition.id] = definition;
  }
  return made;
}

OpId Script::op(int rank, std::string_view name) {
  auto& ops = definitions(rank).ops;
  for (const auto& [id, op] : ops)
    if (op.name == name) return id;
  const OpId id(id_of(rank, static_cast<int>(ops.size())));
  ops[id] = {id, std::string(name)};
  return id;
}

std::uint64_t Script::fresh(std::int64_t bytes) {
  const std::uint64_t made = fresh_;
  fresh_ += (static_cast<std::uint64_t>(bytes) + 63) / 64 * 64;
  return made;
}

// --- events

Ref Script::add(int rank, Call call) {
  auto& events = execution_.ranks[static_cast<std::size_t>(rank)].events;
  const std::size_t number = events.size();
  Event& made = events.emplace_back();
  made.call = call;
  made.task = TaskId(1);
  made.site = SiteId(static_cast<std::uint32_t>(number + 1));
  made.start = time_++;
  definitions(rank).sites[made.site] = {
      made.site, {{ModuleId(1), static_cast<std::uint64_t>(rank) * 1000000 + number}}};
  return {rank, number};
}

void Script::buffer(int rank, BufferUse use, const Data& data) {
  const bool is_target = use == BufferUse::TargetRead || use == BufferUse::TargetWrite ||
                         use == BufferUse::TargetUpdate;
  if (data.count <= 0 && !is_target) return;  // as the front end does
  last(rank).buffers.push_back({use, data.at, data.count, type_id(rank, data.type)});
}

Ref Script::load(int rank, std::uint64_t address, std::int64_t bytes) {
  const Ref made = add(rank, Call::load);
  buffer(rank, BufferUse::Read, {address, bytes, kPlainBytes});
  return made;
}

Ref Script::store(int rank, std::uint64_t address, std::int64_t bytes) {
  const Ref made = add(rank, Call::store);
  buffer(rank, BufferUse::Write, {address, bytes, kPlainBytes});
  return made;
}

// --- one-sided

Ref Script::one_sided(int rank, Call call, WinRef win, int target, const OneSided& given) {
  const Ref made = add(rank, call);
  const Action action = traits(call).action;
  FieldSet& fields = last(rank).fields;
  fields.set(Field::win, win_id(rank, win));
  fields.set(Field::target, target);
  const bool reduces = action == Action::Accumulate || action == Action::GetAccumulate ||
                       action == Action::FetchAndOp;
  if (reduces) fields.set(Field::op, op(rank, given.op));
  if (traits(call).when == When::Starts)
    fields.set(Field::request, ++requests_[static_cast<std::size_t>(rank)]);
  if (target == kProcNull.value) return made;

  const bool reads_only = reduces && given.op == "MPI_NO_OP";
  if (action == Action::Get || reads_only) {
    buffer(rank, BufferUse::Write, action == Action::Get ? given.origin : given.result);
    buffer(rank, BufferUse::TargetRead, given.remote);
  } else {
    buffer(rank, BufferUse::Read, given.origin);
    if (action == Action::CompareAndSwap) buffer(rank, BufferUse::Read, given.compare);
    if (brings_back(action)) buffer(rank, BufferUse::Write, given.result);
    buffer(rank, action == Action::Put ? BufferUse::TargetWrite : BufferUse::TargetUpdate,
           given.remote);
  }

  const bool one_element = given.remote.count * definition(given.remote.type).map.size ==
                           element_of(definition(given.remote.type).element).size;
  if (given.several) {
    std::int64_t& atomics = atomics_[static_cast<std::size_t>(rank)];
    fields.set(Field::atomic, atomics + 1);
    atomics += given.remote.count;
    if (!reads_only) fields.set(Field::operand, static_cast<std::int64_t>(given.operand));
    last(rank).numbers = given.more_operands;
  } else if ((reduces || action == Action::CompareAndSwap) && one_element &&
             definition(given.remote.type).map.size <= 8) {
    fields.set(Field::atomic, ++atomics_[static_cast<std::size_t>(rank)]);
    if (!reads_only) fields.set(Field::operand, static_cast<std::int64_t>(given.operand));
    if (action == Action::CompareAndSwap)
      fields.set(Field::compare, static_cast<std::int64_t>(given.compare_with));
  }
  return made;
}

Ref Script::put(int rank, WinRef win, int target, std::uint64_t displacement, std::int64_t bytes) {
  const TypeRef byte = type("MPI_BYTE");
  return one_sided(rank, MpiCall::MPI_Put, win, target,
                   {.origin = {fresh(bytes), bytes, byte}, .remote = {displacement, bytes, byte}});
}

Ref Script::get(int rank, WinRef win, int target, std::uint64_t displacement, std::int64_t bytes) {
  const TypeRef byte = type("MPI_BYTE");
  return one_sided(rank, MpiCall::MPI_Get, win, target,
                   {.origin = {fresh(bytes), bytes, byte}, .remote = {displacement, bytes, byte}});
}

Ref Script::accumulate(int rank, WinRef win, int target, std::uint64_t displacement, TypeRef type,
                       std::string_view op, std::uint64_t operand) {
  return one_sided(rank, MpiCall::MPI_Accumulate, win, target,
                   {.origin = {fresh(8), 1, type},
                    .remote = {displacement, 1, type},
                    .op = op,
                    .operand = operand});
}

Ref Script::fetch(int rank, WinRef win, int target, std::uint64_t displacement, TypeRef type,
                  std::string_view op, std::uint64_t operand) {
  return one_sided(rank, MpiCall::MPI_Fetch_and_op, win, target,
                   {.origin = {fresh(8), 1, type},
                    .result = {fresh(8), 1, type},
                    .remote = {displacement, 1, type},
                    .op = op,
                    .operand = operand});
}

Ref Script::compare_and_swap(int rank, WinRef win, int target, std::uint64_t displacement,
                             TypeRef type, std::uint64_t compare, std::uint64_t operand) {
  return one_sided(rank, MpiCall::MPI_Compare_and_swap, win, target,
                   {.origin = {fresh(8), 1, type},
                    .result = {fresh(8), 1, type},
                    .compare = {fresh(8), 1, type},
                    .remote = {displacement, 1, type},
                    .operand = operand,
                    .compare_with = compare});
}

void Script::result(Ref completing, Ref atomic, std::uint64_t value, std::int64_t element) {
  event(completing).numbers.push_back(event(atomic).fields[Field::atomic] + element);
  event(completing).numbers.push_back(static_cast<std::int64_t>(value));
}

Ref Script::window_call(int rank, Call call, WinRef win) {
  const Ref made = add(rank, call);
  last(rank).fields.set(Field::win, win_id(rank, win));
  return made;
}

Ref Script::window_call(int rank, Call call, WinRef win, int target) {
  const Ref made = window_call(rank, call, win);
  last(rank).fields.set(Field::target, target);
  return made;
}

Ref Script::fence(int rank, WinRef win, std::int64_t assertion) {
  const Ref made = window_call(rank, MpiCall::MPI_Win_fence, win);
  last(rank).fields.set(Field::assertion, assertion);
  return made;
}

std::vector<Ref> Script::fence_all(WinRef win, std::int64_t assertion) {
  std::vector<Ref> made;
  for (const int rank : members(shape(win).comm)) made.push_back(fence(rank, win, assertion));
  return made;
}

Ref Script::lock(int rank, WinRef win, int target, bool exclusive, std::int64_t assertion) {
  const Ref made = window_call(rank, MpiCall::MPI_Win_lock, win, target);
  last(rank).fields.set(Field::lock, exclusive ? kExclusiveLock : kSharedLock);
  last(rank).fields.set(Field::assertion, assertion);
  return made;
}

Ref Script::lock_all(int rank, WinRef win, std::int64_t assertion) {
  const Ref made = window_call(rank, MpiCall::MPI_Win_lock_all, win);
  last(rank).fields.set(Field::assertion, assertion);
  return made;
}

Ref Script::post(int rank, WinRef win, const std::vector<int>& members, std::int64_t assertion) {
  const Ref made = window_call(rank, MpiCall::MPI_Win_post, win);
  last(rank).fields.set(Field::group, group(rank, members));
  last(rank).fields.set(Field::assertion, assertion);
  return made;
}

Ref Script::start(int rank, WinRef win, const std::vector<int>& members, std::int64_t assertion) {
  const Ref made = window_call(rank, MpiCall::MPI_Win_start, win);
  last(rank).fields.set(Field::group, group(rank, members));
  last(rank).fields.set(Field::assertion, assertion);
  return made;
}

Ref Script::win_test(int rank, WinRef win, bool flag) {
  const Ref made = window_call(rank, MpiCall::MPI_Win_test, win);
  last(rank).fields.set(Field::flag, flag);
  return made;
}

Ref Script::win_create(int rank, WinRef win) {
  const WinFlavour flavour = shape(win).flavour;
  const Ref made = add(rank, flavour == WinFlavour::Create    ? MpiCall::MPI_Win_create
                             : flavour == WinFlavour::Dynamic ? MpiCall::MPI_Win_create_dynamic
                                                              : MpiCall::MPI_Win_allocate);
  last(rank).fields.set(Field::comm, comm_id(rank, shape(win).comm));
  last(rank).fields.set(Field::new_win, win_id(rank, win));
  return made;
}

Ref Script::win_attach(int rank, WinRef win, std::uint64_t address, std::int64_t bytes) {
  const Ref made = window_call(rank, MpiCall::MPI_Win_attach, win);
  last(rank).fields.set(Field::address, static_cast<std::int64_t>(address));
  last(rank).fields.set(Field::size, bytes);
  return made;
}

Ref Script::comm_create(int rank, Call call, CommRef parent, CommRef made_comm) {
  const Ref made = add(rank, call);
  const auto& in = members(made_comm);
  const bool member = std::find(in.begin(), in.end(), rank) != in.end();
  last(rank).fields.set(Field::comm, comm_id(rank, parent));
  if (call == MpiCall::MPI_Comm_split) {
    last(rank).fields.set(Field::color, member ? 1 : -1);
    last(rank).fields.set(Field::key, 0);
  }
  last(rank).fields.set(Field::new_comm, member ? comm_id(rank, made_comm) : CommId(0));
  if (traits(call).when == When::Starts)
    last(rank).fields.set(Field::request, ++requests_[static_cast<std::size_t>(rank)]);
  return made;
}

// --- messages

Ref Script::send(int rank, Call call, int to, std::int64_t tag, Data data, CommRef comm) {
  const Ref made = add(rank, call);
  FieldSet& fields = last(rank).fields;
  fields.set(Field::comm, comm_id(rank, comm));
  fields.set(Field::to, to);
  fields.set(Field::send_tag, tag);
  if (to != kProcNull.value) buffer(rank, BufferUse::Read, data);
  if (traits(call).when == When::Starts || traits(call).when == When::Prepares)
    fields.set(Field::request, ++requests_[static_cast<std::size_t>(rank)]);
  return made;
}

Ref Script::receive(int rank, Call call, int from, std::int64_t tag, Data data, CommRef comm) {
  const Ref made = add(rank, call);
  FieldSet& fields = last(rank).fields;
  fields.set(Field::comm, comm_id(rank, comm));
  fields.set(Field::from, from);
  fields.set(Field::recv_tag, tag);
  if (from != kProcNull.value) buffer(rank, BufferUse::Write, data);
  if (traits(call).when != When::Blocks)
    fields.set(Field::request, ++requests_[static_cast<std::size_t>(rank)]);
  return made;
}

namespace {

void set_matched(FieldSet& fields, const Got& got) {
  fields.set(Field::matched_from, got.from);
  fields.set(Field::matched_tag, got.tag);
  fields.set(Field::matched_bytes, got.bytes);
}

}  // namespace

Ref Script::receive(int rank, int from, std::int64_t tag, Data data, Got got, CommRef comm) {
  const Ref made = receive(rank, MpiCall::MPI_Recv, from, tag, data, comm);
  set_matched(last(rank).fields, got);
  return made;
}

Ref Script::send_receive(int rank, int to, Data data, int from, Data into, std::int64_t tag,
                         Got got, CommRef comm) {
  const Ref made = add(rank, MpiCall::MPI_Sendrecv);
  FieldSet& fields = last(rank).fields;
  fields.set(Field::comm, comm_id(rank, comm));
  fields.set(Field::to, to);
  fields.set(Field::send_tag, tag);
  fields.set(Field::from, from);
  fields.set(Field::recv_tag, tag);
  buffer(rank, BufferUse::Read, data);
  buffer(rank, BufferUse::Write, into);
  set_matched(fields, got);
  return made;
}

Ref Script::send_receive_replace(int rank, int to, int from, Data data, std::int64_t tag, Got got,
                                 CommRef comm) {
  const Ref made =
      send_receive(rank, to, {0, 0, kPlainBytes}, from, {0, 0, kPlainBytes}, tag, got, comm);
  last(rank).call = MpiCall::MPI_Sendrecv_replace;
  buffer(rank, BufferUse::ReadWrite, data);
  return made;
}

Ref Script::probe(int rank, Call call, int from, std::int64_t tag, std::optional<Got> got,
                  CommRef comm) {
  const Ref made = add(rank, call);
  FieldSet& fields = last(rank).fields;
  fields.set(Field::comm, comm_id(rank, comm));
  fields.set(Field::from, from);
  fields.set(Field::recv_tag, tag);
  if (call == MpiCall::MPI_Iprobe || call == MpiCall::MPI_Improbe)
    fields.set(Field::flag, got.has_value());
  if (!got) return made;
  set_matched(fields, *got);
  if (traits(call).action == Action::MatchedProbe)
    fields.set(Field::message, ++messages_[static_cast<std::size_t>(rank)]);
  return made;
}

Ref Script::matched_receive(int rank, Ref probe, Data data, Got got) {
  const Ref made = add(rank, MpiCall::MPI_Mrecv);
  FieldSet& fields = last(rank).fields;
  fields.set(Field::message, event(probe).fields[Field::message]);
  fields.set(Field::comm, event(probe).fields[Field::comm]);
  buffer(rank, BufferUse::Write, data);
  set_matched(fields, got);
  return made;
}

RequestRef Script::request(Ref made) {
  return {made, RequestId(static_cast<std::uint64_t>(event(made).fields[Field::request]))};
}

void Script::number_requests(Event& event, const std::vector<RequestRef>& requests) {
  for (const RequestRef& request : requests) event.requests.push_back(request.id);
}

Ref Script::start(int rank, const std::vector<RequestRef>& requests) {
  const Ref made = add(rank, requests.size() == 1 ? MpiCall::MPI_Start : MpiCall::MPI_Startall);
  number_requests(last(rank), requests);
  return made;
}

Ref Script::wait(int rank, Call call, const std::vector<RequestRef>& requests,
                 const std::vector<Done>& done, std::optional<bool> flag) {
  const Ref made = add(rank, call);
  Event& event = last(rank);
  number_requests(event, requests);
  if (flag) event.fields.set(Field::flag, *flag);
  for (const Done& one : done)
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (requests[i].id == one.request.id)
        event.completions.push_back({static_cast<std::uint32_t>(i), WorldRank(one.got.from),
                                     one.got.tag, one.got.bytes, false});
  return made;
}

Ref Script::wait(RequestRef request, Got got) {
  return wait(request.made.rank, MpiCall::MPI_Wait, {request}, {{request, got}});
}

Ref Script::get_status(int rank, RequestRef request, bool flag, Got got) {
  const Ref made = add(rank, MpiCall::MPI_Request_get_status);
  last(rank).fields.set(Field::request, request.id);
  last(rank).fields.set(Field::flag, flag);
  if (got.from >= 0) {
    last(rank).fields.set(Field::matched_from, got.from);
    last(rank).fields.set(Field::matched_tag, got.tag);
  }
  return made;
}

Ref Script::free_request(int rank, RequestRef request) {
  const Ref made = add(rank, MpiCall::MPI_Request_free);
  number_requests(last(rank), {request});
  return made;
}

Ref Script::cancel(int rank, RequestRef request) {
  const Ref made = add(rank, MpiCall::MPI_Cancel);
  number_requests(last(rank), {request});
  const Ref waited = wait(rank, MpiCall::MPI_Wait, {request}, {{request, {}}});
  event(waited).completions[0].cancelled = true;
  return made;
}

Ref Script::finalize(int rank) { return add(rank, MpiCall::MPI_Finalize); }

Ref Script::repeated(int rank, Call call, std::int64_t times) {
  const Ref made = add(rank, call);
  last(rank).fields.set(Field::flag, 0);
  last(rank).fields.set(Field::repeated, times);
  return made;
}

// --- collectives

Ref Script::collective(int rank, Call call, CommRef comm, std::optional<int> root, Data reads,
                       Data writes) {
  const Ref made = add(rank, call);
  FieldSet& fields = last(rank).fields;
  fields.set(Field::comm, comm_id(rank, comm));
  if (root) fields.set(Field::root, *root);
  const Action action = traits(call).action;
  if (action == Action::Reduce || action == Action::Allreduce || action == Action::Scan ||
      action == Action::Exscan || action == Action::ReduceScatter)
    fields.set(Field::op, op(rank, "MPI_SUM"));
  if (reads.count > 0 && reads.at == writes.at) {
    buffer(rank, BufferUse::ReadWrite, reads);
  } else {
    buffer(rank, BufferUse::Read, reads);
    buffer(rank, BufferUse::Write, writes);
  }
  if (traits(call).when != When::Blocks)
    fields.set(Field::request, ++requests_[static_cast<std::size_t>(rank)]);
  return made;
}

std::vector<Ref> Script::barrier(CommRef comm) {
  std::vector<Ref> made;
  for (const int rank : members(comm)) made.push_back(collective(rank, MpiCall::MPI_Barrier, comm));
  for (const int rank : comms_[static_cast<std::size_t>(comm.index)].others)
    made.push_back(collective(rank, MpiCall::MPI_Barrier, comm));
  return made;
}

// --- text output

namespace {

void show_buffer(std::ostream& out, const Buffer& buffer, const Definitions& definitions) {
  static constexpr std::string_view kUses[] = {"reads",        "writes",        "updates",
                                               "target_reads", "target_writes", "target_updates"};
  out << ' ' << kUses[static_cast<std::size_t>(buffer.access)] << '=' << std::hex << "0x"
      << buffer.address << std::dec;
  if (buffer.type == TypeId(0)) {
    out << '+' << buffer.count;
    return;
  }
  const TypeDefinition& type = definitions.types.at(buffer.type);
  out << '(' << buffer.count << 'x' << type.element;
  if (!(type.map == contiguous_map(element_of(type.element).size)))
    for (const ByteRange& range : expand(type.map)) out << ' ' << range.begin << '-' << range.end;
  out << ')';
}

void show_field(std::ostream& out, Field field, std::int64_t value,
                const Definitions& definitions) {
  out << ' ' << traits(field).name << '=';
  switch (traits(field).kind) {
    case FieldKind::Comm: {
      const auto comm = definitions.comms.find(CommId(static_cast<std::uint32_t>(value)));
      if (comm == definitions.comms.end())
        out << "null";
      else
        out << "comm" << comm->second.uid.value - 1000;
      return;
    }
    case FieldKind::Win:
      out << "win"
          << definitions.wins.at(WinId(static_cast<std::uint32_t>(value))).uid.value - 2000;
      return;
    case FieldKind::Op:
      out << definitions.ops.at(OpId(static_cast<std::uint32_t>(value))).name;
      return;
    case FieldKind::Group:
      out << '{';
      for (const WorldRank rank :
           definitions.groups.at(GroupId(static_cast<std::uint32_t>(value))).ranks)
        out << ' ' << rank.value;
      out << " }";
      return;
    case FieldKind::Lock:
      out << (value == kExclusiveLock ? "exclusive" : "shared");
      return;
    default:
      out << value;
  }
}

void show_event(std::ostream& out, std::size_t number, const Event& event,
                const Definitions& definitions) {
  out << "  " << number << ": " << traits(event.call).name;
  if (event.fields.has(Field::order)) out << " task=" << task_of_event(event);
  event.fields.each(~std::uint64_t{0}, [&](Field field, std::int64_t value) {
    show_field(out, field, value, definitions);
  });
  for (const Buffer& buffer : event.buffers) show_buffer(out, buffer, definitions);
  if (!event.requests.empty()) {
    out << " requests=[";
    for (const RequestId id : event.requests) out << ' ' << id.value;
    out << " ]";
  }
  for (const Completion& done : event.completions) {
    out << " done=" << event.requests[done.index].value;
    if (done.bytes >= 0) out << ":from=" << done.from.value << ",tag=" << done.tag;
  }
  for (std::size_t i = 0; i + 1 < event.numbers.size(); i += 2)
    out << " atomic" << event.numbers[i] << "->" << event.numbers[i + 1];
  if (!event.returned) out << " (did not return)";
  out << '\n';
}

void show_window(std::ostream& out, const WinDefinition& win, const Definitions& definitions) {
  static constexpr std::string_view kFlavours[] = {"create", "allocate", "dynamic", "shared"};
  out << "  win" << win.uid.value - 2000 << " on comm"
      << definitions.comms.at(win.comm).uid.value - 1000 << ' '
      << kFlavours[static_cast<std::size_t>(win.flavour)] << (win.unified ? "" : " separate")
      << " base=0x" << std::hex << win.base << std::dec << " size=" << win.size
      << " unit=" << win.unit;
  if (!win.accumulate_ops.empty()) out << " accumulate_ops=" << win.accumulate_ops;
  if (!win.accumulate_ordering.empty()) out << " accumulate_ordering=" << win.accumulate_ordering;
  out << '\n';
}

}  // namespace

std::string text(const Execution& execution) {
  std::ostringstream out;
  if (execution.options.strict_accumulate_ops) out << "strict_accumulate_ops\n";
  for (const Execution::Rank& rank : execution.ranks) {
    out << "rank " << rank.definitions.rank.rank.value << '\n';
    for (const auto& [id, comm] : rank.definitions.comms) {
      if (comm.uid.value == 1000) continue;
      out << "  comm" << comm.uid.value - 1000 << " {";
      for (const WorldRank member : rank.definitions.groups.at(comm.group).ranks)
        out << ' ' << member.value;
      out << " }" << (comm.has_topology ? " ring\n" : "\n");
    }
    for (const auto& [id, win] : rank.definitions.wins) show_window(out, win, rank.definitions);
    for (std::size_t i = 0; i < rank.events.size(); ++i)
      show_event(out, i, rank.events[i], rank.definitions);
  }
  return out.str();
}

}  // namespace photofinish::testing
