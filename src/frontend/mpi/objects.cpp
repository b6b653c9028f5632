#include "frontend/mpi/objects.h"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "frontend/mpi/datatypes.h"
#include "frontend/mpi/fortran.h"
#include "frontend/mpi/stand_ins.h"
#include "frontend/mpi/table/elements.h"
#include "frontend/mpi/topology.h"
#include "model/element.h"
#include "replay/facts.h"
#include "runtime/recorder.h"

namespace photofinish::mpi {
namespace {

template <class Definition>
void define(DefinitionKind kind, const Definition& definition) {
  if (Recorder* recorder = Recorder::get()) recorder->writer().define(kind, definition);
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t both[2] = {a, b};
  return XXH3_64bits(both, sizeof both);
}

std::uint64_t hash_ranks(const std::vector<WorldRank>& ranks) {
  return XXH3_64bits(ranks.data(), ranks.size() * sizeof(WorldRank));
}

std::string comm_name(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  int length = 0;
  REAL(PMPI_Comm_get_name)(comm, name, &length);
  return name;
}

std::string info_value(MPI_Info info, const char* key) {
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  REAL(PMPI_Info_get)(info, key, MPI_MAX_INFO_VAL, value, &found);
  return found ? value : "";
}

std::string predefined_op_name(MPI_Op op) {
  const struct {
    MPI_Op op;
    const char* name;
  } known[] = {
      {MPI_MAX, "MPI_MAX"},         {MPI_MIN, "MPI_MIN"},       {MPI_SUM, "MPI_SUM"},
      {MPI_PROD, "MPI_PROD"},       {MPI_LAND, "MPI_LAND"},     {MPI_BAND, "MPI_BAND"},
      {MPI_LOR, "MPI_LOR"},         {MPI_BOR, "MPI_BOR"},       {MPI_LXOR, "MPI_LXOR"},
      {MPI_BXOR, "MPI_BXOR"},       {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"},
      {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"},
  };
  for (const auto& [handle, name] : known)
    if (handle == op) return name;
  return "";
}

}  // namespace

RankMap::RankMap(const std::vector<WorldRank>& ranks)
    : size_(static_cast<std::int32_t>(ranks.size())) {
  if (ranks.empty()) return;
  first_ = ranks[0].value;
  step_ = ranks.size() > 1 ? ranks[1].value - first_ : 1;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i].value < 0 || ranks[i].value != first_ + static_cast<std::int32_t>(i) * step_) {
      table_ = ranks;
      return;
    }
}

Objects* const Objects::instance_ = new Objects;

void Objects::start(MPI_Group world) {
  world_ = world;
  // Defines MPI_COMM_WORLD and MPI_COMM_SELF first, so that their ids are the same in every run. A
  // program with sessions has neither.
  int initialized = 0;
  REAL(PMPI_Initialized)(&initialized);
  if (!initialized) return;
  comm(MPI_COMM_WORLD);
  comm(MPI_COMM_SELF);
}

// --- groups

std::vector<WorldRank> Objects::world_ranks(MPI_Group group) {
  std::vector<WorldRank> result;
  if (!facts_are_given()) result = ask_world_ranks(group);
  keep_facts(result);
  return result;
}

std::vector<WorldRank> Objects::ask_world_ranks(MPI_Group group) {
  int size = 0;
  REAL(PMPI_Group_size)(group, &size);
  if (size == 0) return {};
  std::vector<int> ranks(static_cast<std::size_t>(size)), world(ranks.size());
  for (int i = 0; i < size; ++i) ranks[static_cast<std::size_t>(i)] = i;
  REAL(PMPI_Group_translate_ranks)(group, size, ranks.data(), world_, world.data());
  std::vector<WorldRank> result;
  for (const int rank : world) result.push_back(rank < 0 ? kExternalRank : WorldRank(rank));
  return result;
}

GroupId Objects::intern_group(const std::vector<WorldRank>& ranks) {
  const auto [entry, fresh] = group_by_members_.try_emplace(
      hash_ranks(ranks), GroupId(static_cast<std::uint32_t>(group_by_members_.size() + 1)));
  if (fresh) define(DefinitionKind::Group, GroupDefinition{entry->second, ranks});
  return entry->second;
}

GroupId Objects::group(MPI_Group handle) {
  if (handle == MPI_GROUP_NULL) return GroupId(0);
  const std::vector<WorldRank> ranks = world_ranks(handle);
  std::lock_guard lock(lock_);
  return intern_group(ranks);
}

// --- communicators

CommRecord* Objects::comm(MPI_Comm handle) {
  const std::uint64_t key = handle_key(handle);
  std::lock_guard lock(lock_);
  if (last_comm_.record != nullptr && last_comm_.key == key) return last_comm_.record;
  const auto found = comms_.find(key);
  CommRecord* record = found != comms_.end() ? found->second : describe_comm(handle, nullptr, 0);
  last_comm_ = {key, record};
  return record;
}

CommRecord* Objects::new_comm(MPI_Comm handle, CommRecord* parent, std::uint64_t salt) {
  if (handle == MPI_COMM_NULL) return comm(handle);
  std::lock_guard lock(lock_);
  return describe_comm(handle, parent, salt);
}

// The uid must be the same on all members, without communication. All members create communicators
// with the same parent and the same members in the same order. So the number of such creations
// before this one is the same on all of them, and is part of the uid.
CommRecord* Objects::describe_comm(MPI_Comm handle, CommRecord* parent, std::uint64_t salt) {
  auto* record = new CommRecord;
  CommDefinition& definition = record->definition;
  comms_[handle_key(handle)] = record;
  last_comm_ = {handle_key(handle), record};
  if (handle == MPI_COMM_NULL) return record;

  definition.id = CommId(++comm_count_);
  if (parent != nullptr) definition.parent = parent->id();
  int inter = 0;
  MPI_Group group;
  if (!facts_are_given()) {
    definition.name = comm_name(handle);
    REAL(PMPI_Comm_rank)(handle, &record->rank);
    REAL(PMPI_Comm_test_inter)(handle, &inter);
  }
  keep_facts(definition.name, record->rank, inter);
  record->inter = inter != 0;

  REAL(PMPI_Comm_group)(handle, &group);
  const std::vector<WorldRank> local = world_ranks(group);
  REAL(PMPI_Group_free)(&group);
  record->local = RankMap(local);
  definition.group = intern_group(local);
  std::uint64_t members = hash_ranks(local);
  if (record->inter) {
    if (!facts_are_given()) REAL(PMPI_Comm_remote_group)(handle, &group);
    const std::vector<WorldRank> remote = world_ranks(group);
    if (!facts_are_given()) REAL(PMPI_Group_free)(&group);
    record->remote = RankMap(remote);
    definition.remote_group = intern_group(remote);
    // Both groups must compute the same hash.
    const std::uint64_t others = hash_ranks(remote);
    members = mix(std::min(members, others), std::max(members, others));
  } else {
    if (!facts_are_given()) describe_topology(handle, *record);
    keep_facts(definition.has_topology, definition.sources, definition.destinations);
  }

  record->members = members;

  // The two groups of a new intercommunicator have no common parent.
  const bool common_parent = parent != nullptr && (!record->inter || parent->inter);
  const std::uint64_t key = mix(members, salt);
  const std::uint64_t before = common_parent ? parent->children[key]++ : orphans_[key]++;
  definition.uid = Uid(mix(mix(common_parent ? parent->definition.uid.value : 0, key), before));
  define(DefinitionKind::Comm, definition);
  return record;
}

CommRecord* Objects::duplicate_comm(CommRecord* parent) {
  std::lock_guard lock(lock_);
  auto* record = new CommRecord(*parent);
  record->children.clear();
  CommDefinition& definition = record->definition;
  definition.id = CommId(++comm_count_);
  definition.parent = parent->id();
  definition.name.clear();
  const std::uint64_t key = mix(parent->members, 0);
  definition.uid = Uid(mix(mix(parent->definition.uid.value, key), parent->children[key]++));
  define(DefinitionKind::Comm, definition);
  return record;
}

void Objects::comm_made(MPI_Comm handle, CommRecord* record) {
  std::lock_guard lock(lock_);
  comms_[handle_key(handle)] = record;
  last_comm_ = {handle_key(handle), record};
}

void Objects::rename_comm(CommRecord* record, const char* name) {
  std::lock_guard lock(lock_);
  record->definition.name = name;
  define(DefinitionKind::Comm, record->definition);
}

void Objects::free_comm(MPI_Comm handle) {
  std::lock_guard lock(lock_);
  comms_.erase(handle_key(handle));
  last_comm_ = {0, nullptr};
}

// --- datatypes and operations

const TypeRecord* Objects::type(MPI_Datatype handle) {
  const std::uint64_t key = handle_key(handle);
  std::lock_guard lock(lock_);
  if (last_type_.record != nullptr && last_type_.key == key) return last_type_.record;
  if (const auto found = types_.find(key); found != types_.end()) {
    last_type_ = {key, found->second};
    return found->second;
  }
  TypeDescription description = describe_type(handle);
  const TypeRecord* record = intern(
      {.id = {}, .name = description.name, .element = description.element, .map = description.map});
  types_[key] = record;
  last_type_ = {key, record};
  return record;
}

TypeId Objects::row_type(std::int64_t bytes, std::int64_t stride) {
  std::lock_guard lock(lock_);
  const auto [entry, fresh] = row_types_.try_emplace({bytes, stride});
  if (fresh)
    entry->second =
        intern(
            {.id = {}, .name = "", .element = "", .map = resized(contiguous_map(bytes), 0, stride)})
            ->id;
  return entry->second;
}

TypeId Objects::element_type(const char* name, const char* element, std::size_t bytes) {
  std::lock_guard lock(lock_);
  return intern({.id = {},
                 .name = name,
                 .element = element,
                 .map = contiguous_map(static_cast<std::int64_t>(bytes))})
      ->id;
}

const TypeRecord* Objects::intern(TypeDefinition definition) {
  // A program that creates the same type repeatedly gets one definition.
  Size size;
  size(definition);
  std::vector<std::uint8_t> bytes(size.bytes);
  Encoder out(bytes.data());
  Write{out}(definition);
  const auto content =
      XXH3_64bits(bytes.data(), static_cast<std::size_t>(out.next() - bytes.data()));
  const auto [entry, fresh] = type_by_content_.try_emplace(content, nullptr);
  if (fresh) {
    definition.id = TypeId(static_cast<std::uint32_t>(type_by_content_.size()));
    const bool single = definition.map.contiguous() && definition.map.footprint[0].offset == 0 &&
                        definition.map.size <= 8 &&
                        element_of(definition.element).size == definition.map.size;
    entry->second = new TypeRecord{definition.id, definition.map.size, definition.map.extent,
                                   single ? static_cast<std::size_t>(definition.map.size) : 0};
    define(DefinitionKind::Type, definition);
  }
  return entry->second;
}

void Objects::free_type(MPI_Datatype handle) {
  std::lock_guard lock(lock_);
  types_.erase(handle_key(handle));
  last_type_ = {0, nullptr};
}

OpId Objects::op(MPI_Op handle) {
  if (handle == MPI_OP_NULL) return OpId(0);
  const std::uint64_t key = handle_key(handle);
  std::lock_guard lock(lock_);
  if (const auto found = ops_.find(key); found != ops_.end()) return found->second;
  std::string name = predefined_op_name(handle);
  if (name.empty()) name = "user" + std::to_string(op_by_name_.size() + 1);
  return ops_[key] = intern_op(name);
}

OpId Objects::named_op(const char* name) {
  std::lock_guard lock(lock_);
  return intern_op(name);
}

OpId Objects::intern_op(const std::string& name) {
  const auto [entry, fresh] =
      op_by_name_.try_emplace(name, OpId(static_cast<std::uint32_t>(op_by_name_.size() + 1)));
  if (fresh) define(DefinitionKind::Op, OpDefinition{entry->second, name});
  return entry->second;
}

void Objects::free_op(MPI_Op handle) {
  std::lock_guard lock(lock_);
  ops_.erase(handle_key(handle));
}

// --- windows

WinRecord* Objects::win(MPI_Win handle) {
  const std::uint64_t key = handle_key(handle);
  std::lock_guard lock(lock_);
  if (last_win_.record != nullptr && last_win_.key == key) return last_win_.record;
  const auto found = wins_.find(key);
  WinRecord* record = found != wins_.end() ? found->second : describe_win(handle, nullptr, nullptr);
  last_win_ = {key, record};
  return record;
}

WinRecord* Objects::new_win(MPI_Win handle, CommRecord* comm, const void* base) {
  std::lock_guard lock(lock_);
  return describe_win(handle, comm, base);
}

WinRecord* Objects::describe_win(MPI_Win handle, CommRecord* comm, const void* base) {
  auto* record = new WinRecord;
  WinDefinition& definition = record->definition;
  wins_[handle_key(handle)] = record;
  last_win_ = {handle_key(handle), record};
  record->handle = handle;
  record->comm = comm;
  if (comm == nullptr) {  // no intercepted call created this window: only its ranks are known
    record->comm = new CommRecord;
    if (handle == MPI_WIN_NULL) return record;
    MPI_Group group = MPI_GROUP_NULL;
    if (!facts_are_given()) REAL(PMPI_Win_get_group)(handle, &group);
    record->comm->local = RankMap(world_ranks(group));
    if (!facts_are_given()) REAL(PMPI_Group_free)(&group);
  }
  definition.id = WinId(++win_count_);
  definition.comm = record->comm->id();
  const std::uint64_t comm_uid = record->comm->definition.uid.value;
  definition.uid = Uid(mix(comm_uid, ++windows_of_[comm_uid]));

  if (!facts_are_given()) ask_win(handle, *record);
  keep_facts(definition.flavour, definition.unified, definition.base, definition.size,
             definition.unit, definition.accumulate_ops, definition.accumulate_ordering,
             definition.segments);
  if (facts_are_given())
    for (const WinSegment& segment : definition.segments) map_at(segment.address, segment.size);
  // MPI_WIN_BASE of MPICH may be wrong: it may be the base of another window over the same memory,
  // or an address near a small window that MPICH allocated.
  if (base != nullptr) definition.base = reinterpret_cast<std::uint64_t>(base);
  if (definition.flavour == WinFlavour::Dynamic) definition.base = definition.size = 0;
  define(DefinitionKind::Win, definition);
  return record;
}

void Objects::ask_win(MPI_Win handle, WinRecord& record) {
  WinDefinition& definition = record.definition;
  void* value = nullptr;
  int found = 0;
  const auto attribute = [&](int key) {
    value = nullptr;
    found = 0;
    REAL(PMPI_Win_get_attr)(handle, key, static_cast<void*>(&value), &found);
    return found != 0 && value != nullptr;
  };
  if (attribute(MPI_WIN_CREATE_FLAVOR)) {
    const int flavour = *static_cast<int*>(value);
    definition.flavour = flavour == MPI_WIN_FLAVOR_ALLOCATE  ? WinFlavour::Allocate
                         : flavour == MPI_WIN_FLAVOR_DYNAMIC ? WinFlavour::Dynamic
                         : flavour == MPI_WIN_FLAVOR_SHARED  ? WinFlavour::Shared
                                                             : WinFlavour::Create;
  }
  if (attribute(MPI_WIN_MODEL)) definition.unified = *static_cast<int*>(value) == MPI_WIN_UNIFIED;
  // The value of MPI_WIN_BASE is the base itself, not its address; null (MPI_BOTTOM) is valid.
  REAL(PMPI_Win_get_attr)(handle, MPI_WIN_BASE, static_cast<void*>(&value), &found);
  if (found) definition.base = reinterpret_cast<std::uint64_t>(value);
  if (attribute(MPI_WIN_SIZE))
    definition.size = static_cast<std::uint64_t>(*static_cast<MPI_Aint*>(value));
  if (attribute(MPI_WIN_DISP_UNIT)) definition.unit = *static_cast<int*>(value);
  if (definition.flavour == WinFlavour::Shared) {
    for (int rank = 0; rank < record.comm->local.size(); ++rank) {
      MPI_Aint size = 0;
      int unit = 0;
      void* address = nullptr;
      if (REAL(PMPI_Win_shared_query)(handle, rank, &size, &unit, static_cast<void*>(&address)) !=
              MPI_SUCCESS ||
          size == 0)
        continue;
      definition.segments.push_back({record.comm->local.world(rank),
                                     reinterpret_cast<std::uint64_t>(address),
                                     static_cast<std::uint64_t>(size)});
    }
  }
  read_win_info(handle, definition);
}

void Objects::read_win_info(MPI_Win handle, WinDefinition& definition) {
  MPI_Info info;
  if (REAL(PMPI_Win_get_info)(handle, &info) != MPI_SUCCESS) return;
  definition.accumulate_ops = info_value(info, "accumulate_ops");
  definition.accumulate_ordering = info_value(info, "accumulate_ordering");
  REAL(PMPI_Info_free)(&info);
}

void Objects::change_win_info(WinRecord* record, MPI_Info given) {
  std::lock_guard lock(lock_);
  WinDefinition& definition = record->definition;
  if (!facts_are_given()) read_win_info(record->handle, definition);
  keep_facts(definition.accumulate_ops, definition.accumulate_ordering);
  // Open MPI drops hints that it does not use, but the program still guarantees them.
  if (given != MPI_INFO_NULL && definition.accumulate_ops.empty())
    definition.accumulate_ops = info_value(given, "accumulate_ops");
  if (given != MPI_INFO_NULL && definition.accumulate_ordering.empty())
    definition.accumulate_ordering = info_value(given, "accumulate_ordering");
  define(DefinitionKind::Win, definition);
}

void Objects::rename_win(WinRecord* record, const char* name) {
  std::lock_guard lock(lock_);
  record->definition.name = name;
  define(DefinitionKind::Win, record->definition);
}

void Objects::free_win(MPI_Win handle) {
  std::lock_guard lock(lock_);
  wins_.erase(handle_key(handle));
  last_win_ = {0, nullptr};
}

// --- sets of ranks and regions without handles

CommId Objects::rank_set(const std::vector<WorldRank>& ranks, std::uint64_t salt,
                         const std::string& name) {
  const std::uint64_t members = hash_ranks(ranks);
  std::lock_guard lock(lock_);
  const auto [entry, fresh] = rank_sets_.try_emplace({members, salt});
  if (!fresh) return entry->second;
  CommDefinition definition;
  definition.id = entry->second = CommId(++comm_count_);
  definition.uid = Uid(mix(mix(members, salt), XXH3_64bits("rank set", 8)));
  definition.name = name;
  definition.group = intern_group(ranks);
  define(DefinitionKind::Comm, definition);
  return definition.id;
}

void Objects::add_region(WinDefinition& region) {
  std::lock_guard lock(lock_);
  region.id = WinId(++win_count_);
  region.uid = Uid(mix(XXH3_64bits(region.name.data(), region.name.size()), 0));
  define(DefinitionKind::Win, region);
}

void Objects::change_region(const WinDefinition& region) {
  std::lock_guard lock(lock_);
  define(DefinitionKind::Win, region);
}

// --- requests and messages

RequestRecord* Objects::add_request(MPI_Request handle, const void* variable) {
  constexpr std::size_t kBlock = 256;
  std::lock_guard lock(lock_);
  if (free_requests_ == nullptr) [[unlikely]] {
    if (request_blocks_.empty()) requests_.max_load_factor(0.8f);
    RequestRecord* const block =
        request_blocks_.emplace_back(std::make_unique<RequestRecord[]>(kBlock)).get();
    for (std::size_t i = kBlock; i-- > 0;) block[i].next = std::exchange(free_requests_, &block[i]);
  }
  RequestRecord* const record = std::exchange(free_requests_, free_requests_->next);
  record->reset();
  record->id = RequestId(++request_count_);
  record->handle = handle;
  record->variable = variable_of(static_cast<const MPI_Request*>(variable), 0);
  append(handle, record);
  return record;
}

void Objects::append(MPI_Request handle, RequestRecord* record) {
  const auto [entry, fresh] = requests_.try_emplace(handle_key(handle), record);
  record->next = nullptr;
  if (fresh) {
    record->previous = record;
    return;
  }
  RequestRecord* const oldest = entry.value();
  if (oldest->previous == oldest) index_by_variable(handle, oldest);
  index_by_variable(handle, record);
  record->previous = oldest->previous;
  oldest->previous->next = record;
  oldest->previous = record;
}

void Objects::index_by_variable(MPI_Request handle, RequestRecord* record) {
  if (record->by_variable) return;
  RequestRecord*& latest =
      shared_requests_[mix(handle_key(handle), reinterpret_cast<std::uint64_t>(record->variable))];
  // The variable is overwritten: it no longer holds the older request. A copy of that handle may
  // still exist, so the request itself remains.
  if (latest != nullptr) {
    latest->variable = nullptr;
    latest->by_variable = false;
  }
  latest = record;
  record->by_variable = true;
}

RequestRecord* Objects::look_up(RequestRecord* oldest, MPI_Request handle, const void* variable) {
  if (oldest->variable == variable || oldest->previous == oldest) return oldest;
  const auto found =
      shared_requests_.find(mix(handle_key(handle), reinterpret_cast<std::uint64_t>(variable)));
  return found != shared_requests_.end() ? found->second : oldest;
}

RequestRecord* Objects::find_request(MPI_Request handle, const void* variable) {
  if (handle == MPI_REQUEST_NULL) return nullptr;
  std::lock_guard lock(lock_);
  const auto found = requests_.find(handle_key(handle));
  return found != requests_.end() ? look_up(found->second, handle, variable) : nullptr;
}

RequestRecord* Objects::take_request(MPI_Request handle, const void* variable) {
  if (handle == MPI_REQUEST_NULL) return nullptr;
  std::lock_guard lock(lock_);
  const auto found = requests_.find(handle_key(handle));
  if (found == requests_.end()) return nullptr;
  RequestRecord* const oldest = found->second;
  RequestRecord* const record = look_up(oldest, handle, variable);
  if (record->by_variable)
    shared_requests_.erase(
        mix(handle_key(handle), reinterpret_cast<std::uint64_t>(record->variable)));
  record->by_variable = false;
  if (record != oldest) {
    record->previous->next = record->next;
    (record->next != nullptr ? record->next : oldest)->previous = record->previous;
  } else if (record->next != nullptr) {
    record->next->previous = record->previous;
    found.value() = record->next;
  } else {
    requests_.erase(found);
  }
  record->previous = record->next = nullptr;
  return record;
}

void Objects::put_request(MPI_Request handle, RequestRecord* record) {
  std::lock_guard lock(lock_);
  append(handle, record);
}

void Objects::recycle_request(RequestRecord* record) {
  std::lock_guard lock(lock_);
  record->next = std::exchange(free_requests_, record);
}

MessageId Objects::add_message(MPI_Message handle, CommRecord* comm) {
  std::lock_guard lock(lock_);
  const MessageId id(++message_count_);
  messages_[handle_key(handle)] = {id, comm};
  return id;
}

Objects::Message Objects::take_message(MPI_Message handle) {
  std::lock_guard lock(lock_);
  const auto found = messages_.find(handle_key(handle));
  if (found == messages_.end()) return {};
  const Message message = found->second;
  messages_.erase(found);
  return message;
}

std::int64_t Objects::other(std::uint64_t key) {
  std::lock_guard lock(lock_);
  return others_.try_emplace(key, static_cast<std::int64_t>(others_.size() + 1)).first->second;
}

}  // namespace photofinish::mpi
