// Windows, epochs and one-sided operations. A window is used in one mode at a time; the mode
// changes only after a barrier.
#include "frontend/mpi/table/elements.h"
#include "frontend/mpi/table/mpi_call.h"
#include "simulator_state.h"

namespace photofinish::testing {

bool Simulator::is_member(const Window& window, int rank) const {
  const auto& members = script_.members(window.comm);
  return std::find(members.begin(), members.end(), rank) != members.end();
}

Simulator::Window* Simulator::pick_window(const Step& step) {
  Window& window = windows_[step.a % windows_.size()];
  return window.live() && is_member(window, below(ranks(), step.rank)) ? &window : nullptr;
}

// The targets of one-sided operations in the rank's current epoch.
std::vector<int> Simulator::targets(const Window& window, int rank) const {
  if (!window.live() || !is_member(window, rank)) return {};
  if (window.mode == Mode::Fence) {
    const auto open = window.open.find(rank);
    return open != window.open.end() && open->second ? script_.members(window.comm)
                                                     : std::vector<int>{};
  }
  if (window.mode == Mode::Epochs) {
    const auto started = window.started.find(rank);
    return started != window.started.end() ? started->second : std::vector<int>{};
  }
  if (window.all_locked.count(rank) != 0) return script_.members(window.comm);
  std::vector<int> locked;
  if (const auto locks = window.locks.find(rank); locks != window.locks.end())
    for (const auto& [target, exclusive] : locks->second) locked.push_back(target);
  return locked;
}

// --- operations

namespace {

struct TypeRow {
  const char* element;
  DataMap map;
};

// Simple types first.
const std::vector<TypeRow>& types() {
  static const auto* const rows = new std::vector<TypeRow>{
      {"MPI_INT64_T", contiguous_map(8)},
      {"MPI_LONG", contiguous_map(8)},
      {"MPI_DOUBLE", contiguous_map(8)},
      {"MPI_INT", contiguous_map(4)},
      {"MPI_UNSIGNED", contiguous_map(4)},
      {"MPI_FLOAT", contiguous_map(4)},
      {"MPI_SHORT", contiguous_map(2)},
      {"MPI_BYTE", contiguous_map(1)},
      {"MPI_INT", repeated(contiguous_map(4), 2, 8)},                   // every second one
      {"MPI_INT", located(contiguous_map(4), {{1, 0}, {2, 12}})},       // indexed
      {"MPI_INT", repeated(repeated(contiguous_map(4), 2, 8), 2, 20)},  // rows of it
      {"MPI_INT64_T", repeated(contiguous_map(8), 2, 16)},
      {"MPI_SHORT", repeated(located(contiguous_map(2), {{1, 0}, {1, 6}}), 2, 10)},
      {"MPI_INT", resized(contiguous_map(4), 0, 12)},
      {"MPI_BYTE",
       repeated(repeated(repeated(contiguous_map(1), 2, 2), 2, 5), 2, 14)},  // three dimensions
  };
  return *rows;
}

constexpr std::size_t kSimpleTypes = 8;

const char* pick_op(std::string_view element, std::uint8_t byte, bool fetches) {
  if (fetches && byte % 4 == 0) return "MPI_NO_OP";
  static constexpr const char* kOps[] = {"MPI_SUM", "MPI_SUM",  "MPI_SUM", "MPI_REPLACE", "MPI_MAX",
                                         "MPI_MIN", "MPI_PROD", "MPI_BOR", "MPI_BXOR"};
  if (element == "MPI_BYTE") return byte % 2 == 0 ? "MPI_REPLACE" : "MPI_BXOR";
  const bool bits = element != "MPI_DOUBLE" && element != "MPI_FLOAT";
  return kOps[byte / 4 % (bits ? 9 : 7)];
}

}  // namespace

std::optional<std::size_t> Simulator::one_sided(int rank, Window& window, int target, Call call,
                                                OneSided given, std::uint64_t address,
                                                bool at_once) {
  const WinShape& shape = script_.shape(window.ref);
  const std::uint64_t unit = shape.unit_of(target),
                      base = shape.base_of(target);  // dynamic windows have none
  if (address < base) address = base;
  given.remote.at = (address - base) / unit;
  address = base + given.remote.at * unit;

  Operation operation{.event = script_.one_sided(rank, call, window.ref, target, given),
                      .win = index_of(window),
                      .target = target};
  const Action action = traits(call).action;
  operation.fetches = action != Action::Put && action != Action::Accumulate;
  const TypeDefinition& type = script_.definition(given.remote.type);
  if (script_.event(operation.event).fields.has(Field::atomic)) {
    operation.atomic = true;
    operation.address = address;
    operation.operand = given.operand;
    operation.compare = given.compare_with;
    operation.op =
        action == Action::CompareAndSwap ? ReduceOp::CompareAndSwap : reduce_op_of(given.op);
    operation.element = element_of(type.element);
  } else if (action != Action::Get && given.op != "MPI_NO_OP") {
    for (const ByteRange& range : expand(type.map, given.remote.count))
      scribble(target, address + static_cast<std::uint64_t>(range.begin), range.end - range.begin,
               events());
  }
  operations_.push_back(operation);
  if (traits(call).when == When::Starts)
    add_request(operation.event,
                {.kind = Request::Kind::OneSided, .operation = operations_.size() - 1});
  if (operation.atomic && at_once) apply(operations_.size() - 1);
  return operations_.size() - 1;
}

void Simulator::one_sided(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr) return;
  // A fence with NOPRECEDE that others have called comes first.
  while (window->mode == Mode::Fence && window->fenced[rank] < window->fences.size())
    call_fence(*window, rank);
  const std::vector<int> allowed = targets(*window, rank);
  if (allowed.empty()) return;
  const int target = allowed[(step.a / 4) % allowed.size()];
  const bool passive = window->mode == Mode::Passive;

  const bool wild =
      program_.focus == Focus::Datatypes || (program_.focus == Focus::Everything && step.d >= 0xc0);
  std::size_t row = wild ? step.d % types().size() : step.b % 8 < 6 ? 0 : step.d % kSimpleTypes;
  std::int64_t count = wild && step.d % 3 == 0 ? 2
                       : types()[row].map.contiguous()
                           ? std::max<std::int64_t>(1, 8 / types()[row].map.size)
                           : 1;
  std::uint64_t address = pick_address(rank, step.c);

  static constexpr Call kCalls[] = {MpiCall::MPI_Put,
                                    MpiCall::MPI_Put,
                                    MpiCall::MPI_Put,
                                    MpiCall::MPI_Put,
                                    MpiCall::MPI_Get,
                                    MpiCall::MPI_Get,
                                    MpiCall::MPI_Get,
                                    MpiCall::MPI_Accumulate,
                                    MpiCall::MPI_Accumulate,
                                    MpiCall::MPI_Accumulate,
                                    MpiCall::MPI_Get_accumulate,
                                    MpiCall::MPI_Rput,
                                    MpiCall::MPI_Rget,
                                    MpiCall::MPI_Raccumulate,
                                    MpiCall::MPI_Rget_accumulate,
                                    MpiCall::MPI_Fetch_and_op};
  Call call = kCalls[(step.b / 8 + step.c) % std::size(kCalls)];
  if (!passive && traits(call).when == When::Starts) call = MpiCall::MPI_Put;
  if (call == MpiCall::MPI_Fetch_and_op) {  // rare on data: the words are for it
    if (step.d % 4 != 0)
      call = MpiCall::MPI_Get;
    else if (step.d % 8 == 0)
      call = MpiCall::MPI_Compare_and_swap;
  }
  const Action action = traits(call).action;
  const bool one_element = action == Action::FetchAndOp || action == Action::CompareAndSwap;
  if (one_element) row = step.b % 4 < 3 ? 0 : 3;
  const TypeRow& type = types()[row];
  if (one_element) count = 1;
  // A fetch of one element is also an atomic; with two elements it is none.
  else if (action == Action::GetAccumulate && count * type.map.size <= 8 && step.b % 4 != 0)
    count = 2;

  if (address + static_cast<std::uint64_t>(type.map.extent * count) > kMemory + kMemorySize) {
    address = kMemory;
    count = 1;
  }
  const TypeRef ref = script_.type(type.element, type.map);
  const std::int64_t extent = type.map.extent * count;
  const auto local = [&](std::uint8_t d) { return Data{pick_buffer(d, extent).at, count, ref}; };
  OneSided given{.remote = {0, count, ref},
                 .op = "MPI_NO_OP",
                 .operand = step.c % 3u,
                 .compare_with = step.b % 2u};
  if (action == Action::Accumulate || action == Action::GetAccumulate ||
      action == Action::FetchAndOp)
    given.op = pick_op(type.element, static_cast<std::uint8_t>(step.b + step.d),
                       action != Action::Accumulate);
  else
    given.op = "MPI_REPLACE";
  given.origin = local(step.d);
  if (action != Action::Put && action != Action::Get && action != Action::Accumulate)
    given.result = local(static_cast<std::uint8_t>(step.d + 64));
  if (action == Action::CompareAndSwap) given.compare = local(1);
  if (step.d == 0xfe) {
    script_.one_sided(rank, MpiCall::MPI_Put, window->ref, kProcNull.value, given);
    return;
  }
  one_sided(rank, *window, target, call, given, address, step.d % 2 == 0);
}

// --- completion

void Simulator::report(Ref by, Operation& operation, bool remotely) {
  operation.locally_complete = true;
  if (remotely || operation.fetches) {
    operation.complete = true;
    if (operation.atomic) apply(static_cast<std::size_t>(&operation - operations_.data()));
  }
  if (!operation.atomic || !operation.fetches || operation.reported) return;
  operation.reported = true;
  script_.result(by, operation.event, operation.result);
}

void Simulator::complete_operations(Ref by, int rank, int win, std::optional<int> target,
                                    bool remotely) {
  for (Operation& operation : operations_)
    if (operation.event.rank == rank && operation.win == win && !operation.complete &&
        (!target || operation.target == *target))
      report(by, operation, remotely);
}

bool Simulator::operations_open(int win) const {
  return std::any_of(operations_.begin(), operations_.end(), [&](const Operation& operation) {
    return operation.win == win && !operation.complete;
  });
}

// --- fences

void Simulator::fence(const Step& step) {
  Window* window = pick_window(step);
  if (window == nullptr || window->mode != Mode::Fence) return;
  const int rank = below(ranks(), step.rank);
  if (window->fenced[rank] < window->fences.size()) return call_fence(*window, rank);
  std::int64_t assertion = 0;
  if (step.b % 6 == 0) assertion |= kNoSucceed;
  if (step.c % 8 == 0) assertion |= kNoStore;
  if (step.c % 8 == 1) assertion |= kNoPut;
  if (step.b / 8 % 4 != 0 || operations_open(index_of(*window)))
    return fence_together(*window, assertion);
  window->fences.push_back(assertion | kNoPrecede);
  call_fence(*window, rank);
}

// A fence with NOPRECEDE, which does not block.
void Simulator::call_fence(Window& window, int rank) {
  const std::int64_t assertion = window.fences[window.fenced[rank]++];
  script_.fence(rank, window.ref, assertion);
  window.open[rank] = (assertion & kNoSucceed) == 0;
}

void Simulator::catch_up(Window& window) {
  for (const int rank : script_.members(window.comm))
    while (window.fenced[rank] < window.fences.size()) call_fence(window, rank);
}

void Simulator::fence_together(Window& window, std::int64_t assertion) {
  catch_up(window);
  for (const int rank : script_.members(window.comm)) {
    const Ref made = script_.fence(rank, window.ref, assertion);
    complete_operations(made, rank, index_of(window), {}, true);
    window.open[rank] = (assertion & kNoSucceed) == 0;
  }
}

// --- post, start, complete, wait

void Simulator::post(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr || window->mode != Mode::Epochs || window->posted.count(rank) != 0) return;
  Window::Exposure exposure;
  std::vector<int> group;
  for (const int member : script_.members(window->comm))
    if (member != rank && (step.b >> (member % 8) & 1) == 0) group.push_back(member);
  if (step.c % 2 == 0) std::reverse(group.begin(), group.end());
  exposure.group.insert(group.begin(), group.end());
  window->posted[rank] = exposure;
  script_.post(rank, window->ref, group, step.c % 8 == 1 ? std::int64_t{kNoPut} : 0);
}

void Simulator::start_epoch(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr || window->mode != Mode::Epochs || window->started.count(rank) != 0) return;
  std::vector<int> group;
  for (auto& [target, exposure] : window->posted)
    if (exposure.group.count(rank) != 0 && exposure.started.count(rank) == 0 &&
        (group.empty() || step.b % 3 != 0)) {
      group.push_back(target);
      exposure.started.insert(rank);
    }
  if (group.empty()) return;
  window->started[rank] = group;
  script_.start(rank, window->ref, group);
}

void Simulator::complete_epoch(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr || window->started.count(rank) == 0) return;
  const Ref made = script_.window_call(rank, MpiCall::MPI_Win_complete, window->ref);
  complete_operations(made, rank, index_of(*window), {}, false);
  for (const int target : window->started[rank]) window->posted[target].completed.insert(rank);
  window->started.erase(rank);
}

void Simulator::wait_epoch(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr || window->posted.count(rank) == 0) return;
  const Window::Exposure& exposure = window->posted[rank];
  if (exposure.completed != exposure.group || step.b % 8 == 0) {
    script_.win_test(rank, window->ref, false);
    return;
  }
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    Operation& operation = operations_[i];
    if (operation.win != index_of(*window) || operation.target != rank || operation.complete)
      continue;
    operation.complete = true;
    if (operation.atomic) apply(i);
  }
  if (step.b % 2 == 0)
    script_.win_test(rank, window->ref, true);
  else
    script_.window_call(rank, MpiCall::MPI_Win_wait, window->ref);
  window->posted.erase(rank);
}

// --- passive targets

void Simulator::lock_all(Window& window, int rank, std::int64_t assertion) {
  window.all_locked.insert(rank);
  script_.lock_all(rank, window.ref, assertion);
}

void Simulator::lock(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr || window->mode != Mode::Passive || window->all_locked.count(rank) != 0)
    return;
  const std::int64_t assertion = step.c % 8 == 0 ? std::int64_t{kNoCheck} : 0;
  if (step.what == Do::LockAll) {
    if (!window->locks[rank].empty()) return;
    for (const auto& [other, locks] : window->locks)
      for (const auto& [target, exclusive] : locks)
        if (exclusive) return;
    return lock_all(*window, rank, assertion);
  }
  const auto& members = script_.members(window->comm);
  const int target = members[step.b % members.size()];
  const bool exclusive = step.c / 8 % 2 == 0;
  if (window->locks[rank].count(target) != 0 || (exclusive && !window->all_locked.empty())) return;
  for (const auto& [other, locks] : window->locks)
    if (const auto held = locks.find(target); held != locks.end() && (held->second || exclusive))
      return;
  window->locks[rank][target] = exclusive;
  script_.lock(rank, window->ref, target, exclusive, assertion);
}

void Simulator::unlock(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr || window->mode != Mode::Passive) return;
  auto& locks = window->locks[rank];
  if (locks.empty()) return unlock_everything(*window, rank);
  const auto released =
      std::next(locks.begin(), static_cast<std::ptrdiff_t>(step.b % locks.size()));
  const Ref made = script_.window_call(rank, MpiCall::MPI_Win_unlock, window->ref, released->first);
  complete_operations(made, rank, index_of(*window), released->first, true);
  locks.erase(released);
}

void Simulator::unlock_everything(Window& window, int rank) {
  for (const auto& [target, exclusive] : window.locks[rank]) {
    const Ref made = script_.window_call(rank, MpiCall::MPI_Win_unlock, window.ref, target);
    complete_operations(made, rank, index_of(window), target, true);
  }
  window.locks[rank].clear();
  if (window.all_locked.erase(rank) == 0) return;
  const Ref made = script_.window_call(rank, MpiCall::MPI_Win_unlock_all, window.ref);
  complete_operations(made, rank, index_of(window), {}, true);
}

void Simulator::flush(Window& window, int rank, int target, std::uint8_t how) {
  static constexpr Call kCalls[] = {MpiCall::MPI_Win_flush,          MpiCall::MPI_Win_flush_all,
                                    MpiCall::MPI_Win_flush_local,    MpiCall::MPI_Win_flush,
                                    MpiCall::MPI_Win_flush_all,      MpiCall::MPI_Win_flush,
                                    MpiCall::MPI_Win_flush_local_all};
  const Call call = kCalls[how % std::size(kCalls)];
  const bool all = call == MpiCall::MPI_Win_flush_all || call == MpiCall::MPI_Win_flush_local_all;
  const Ref made = all ? script_.window_call(rank, call, window.ref)
                       : script_.window_call(rank, call, window.ref, target);
  const bool remotely = call == MpiCall::MPI_Win_flush || call == MpiCall::MPI_Win_flush_all;
  complete_operations(made, rank, index_of(window), all ? std::nullopt : std::optional(target),
                      remotely);
}

void Simulator::flush(const Step& step) {
  const int rank = below(ranks(), step.rank);
  Window* window = pick_window(step);
  if (window == nullptr || window->mode != Mode::Passive) return;
  const std::vector<int> locked = targets(*window, rank);
  if (step.what == Do::WinSync)
    script_.window_call(rank, MpiCall::MPI_Win_sync, window->ref);
  else if (!locked.empty())
    flush(*window, rank, locked[step.b % locked.size()], step.c);
}

// --- windows

bool Simulator::at_rest(const Window& window) const {
  const bool no_locks = std::all_of(window.locks.begin(), window.locks.end(),
                                    [](const auto& one) { return one.second.empty(); });
  const bool same_fences =
      std::all_of(window.fenced.begin(), window.fenced.end(),
                  [&](const auto& one) { return one.second == window.fences.size(); });
  return !operations_open(index_of(window)) && no_locks && window.all_locked.empty() &&
         window.posted.empty() && window.started.empty() &&
         (window.fences.empty() ||
          (same_fences && window.fenced.size() == script_.members(window.comm).size()));
}

void Simulator::switch_mode(const Step& step) {
  Window* window = pick_window(step);
  if (window == nullptr || !at_rest(*window)) return;
  barrier(window->comm);
  window->open.clear();
  const Mode modes[] = {Mode::Fence, Mode::Epochs, Mode::Passive};
  window->mode = modes[step.b % 3];
}

void Simulator::win_life(const Step& step) {
  Window& window = windows_[step.a % windows_.size()];
  if (window.freed || (window.made && (!at_rest(window) || step.b % 2 == 0))) return;
  catch_up(window.comm.index == 0 ? 0 : 1);
  for (const int rank : script_.members(window.comm)) {
    if (window.made) {
      script_.window_call(rank, MpiCall::MPI_Win_free, window.ref);
      continue;
    }
    script_.win_create(rank, window.ref);
    if (script_.shape(window.ref).flavour == WinFlavour::Dynamic)
      script_.win_attach(rank, window.ref, kMemory, static_cast<std::int64_t>(kMemorySize));
  }
  (window.made ? window.freed : window.made) = true;
}

}  // namespace photofinish::testing
