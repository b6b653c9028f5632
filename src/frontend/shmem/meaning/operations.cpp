// Puts, gets, atomics and signals, and the calls that complete or observe them.
#include "frontend/shmem/meaning/meaning.h"

namespace photofinish::shmem_meaning {
namespace {

AccessKind kind_of(Action action) {
  switch (action) {
    case Action::Put:
    case Action::PutSignal:
      return AccessKind::Put;
    case Action::Get:
      return AccessKind::Get;
    default:
      return AccessKind::Accumulate;
  }
}

}  // namespace

ReduceOp ShmemMeaning::op_of(const Event& event) const {
  switch (value_of(event.call)) {
    case value_of(ShmemCall::shmem_signal_fetch):
    case value_of(ShmemCall::shmem_atomic_fetch):
    case value_of(ShmemCall::shmem_atomic_fetch_nbi):
      return ReduceOp::NoOp;
    case value_of(ShmemCall::shmem_atomic_compare_swap):
    case value_of(ShmemCall::shmem_atomic_compare_swap_nbi):
      return ReduceOp::CompareAndSwap;
    case value_of(ShmemCall::shmem_atomic_add):
    case value_of(ShmemCall::shmem_atomic_inc):
    case value_of(ShmemCall::shmem_atomic_fetch_add):
    case value_of(ShmemCall::shmem_atomic_fetch_inc):
    case value_of(ShmemCall::shmem_atomic_fetch_add_nbi):
    case value_of(ShmemCall::shmem_atomic_fetch_inc_nbi):
      return ReduceOp::Sum;
    case value_of(ShmemCall::shmem_atomic_and):
    case value_of(ShmemCall::shmem_atomic_fetch_and):
    case value_of(ShmemCall::shmem_atomic_fetch_and_nbi):
      return ReduceOp::BitAnd;
    case value_of(ShmemCall::shmem_atomic_or):
    case value_of(ShmemCall::shmem_atomic_fetch_or):
    case value_of(ShmemCall::shmem_atomic_fetch_or_nbi):
      return ReduceOp::BitOr;
    case value_of(ShmemCall::shmem_atomic_xor):
    case value_of(ShmemCall::shmem_atomic_fetch_xor):
    case value_of(ShmemCall::shmem_atomic_fetch_xor_nbi):
      return ReduceOp::BitXor;
    case value_of(ShmemCall::shmem_put_signal):
    case value_of(ShmemCall::shmem_put_signal_nbi): {
      const auto& ops = effects_.definitions().ops;
      const auto found = ops.find(OpId(static_cast<std::uint32_t>(event.fields[Field::op])));
      return found != ops.end() && found->second.name == "SHMEM_SIGNAL_ADD" ? ReduceOp::Sum
                                                                            : ReduceOp::Replace;
    }
    default:
      return ReduceOp::Replace;
  }
}

// 0: no element that can be followed.
std::uint8_t ShmemMeaning::element_bytes(const Buffer& buffer) const {
  std::int64_t bytes = buffer.count;
  if (buffer.type != TypeId(0)) {
    const auto found = effects_.definitions().types.find(buffer.type);
    bytes = found != effects_.definitions().types.end() ? found->second.map.size * buffer.count : 0;
  }
  return bytes > 0 && bytes <= 8 ? static_cast<std::uint8_t>(bytes) : 0;
}

void ShmemMeaning::set_value(Pending& added, const Event& event, ReduceOp op,
                             const Buffer& buffer) const {
  Access& access = added.access;
  access.op = op;
  // Elements of one size are one type: libraries implement atomics by size.
  access.element = {ElementKind::Integer, element_bytes(buffer)};
  if (!event.fields.has(Field::atomic) || access.element.size == 0) return;
  if (event.fields.has(Field::operand))
    access.operand = static_cast<std::uint64_t>(event.fields[Field::operand]);
  else if (op == ReduceOp::Sum)
    access.operand = 1;
  if (event.fields.has(Field::compare))
    added.compare = static_cast<std::uint64_t>(event.fields[Field::compare]);
  access.start = effects_.times().start;
  access.plain_atomic = !added.fetches;
  if (added.fetches) added.atomic = event.fields[Field::atomic];
}

void ShmemMeaning::operation(const Event& event, Action action) {
  const WorldRank target(static_cast<std::int32_t>(event.fields[Field::target]));
  const WinDefinition* definition = objects_.region_of(event);
  if (target.value < 0 || definition == nullptr) return;
  Context& context = objects_.context_of(event);
  Region& region = objects_.region(context, *definition);
  const bool nonblocking = is_nonblocking(event.call);
  const std::uint64_t operation = effects_.next_operation();
  Timeline::Begin begin{.kind = {}, .fetches = fetches(action), .opened = {}, .delivery = {}};
  if (is_ordered(event.call, action)) begin.delivery = context.delivery;
  bool is_signal = false;  // of a put with signal: the second target
  for (const Buffer& buffer : event.buffers) {
    if (buffer.access <= BufferUse::ReadWrite) {
      if (!nonblocking) continue;
      begin.kind = buffer.access == BufferUse::Read ? AccessKind::Load : AccessKind::Store;
      effects_.begin_buffer(region, target, operation, begin, event, buffer);
      continue;
    }
    begin.kind = is_signal ? AccessKind::Accumulate : kind_of(action);
    const WinDefinition* elsewhere =
        is_signal ? objects_.region_of(event, Field::signal_win) : nullptr;
    Pending& added =
        effects_.begin_target(elsewhere != nullptr ? objects_.region(context, *elsewhere) : region,
                              target, operation, begin, event, buffer);
    const bool has_value = is_signal || (action != Action::PutSignal && action != Action::Get);
    if (has_value) set_value(added, event, op_of(event), buffer);
    is_signal = action == Action::PutSignal;
  }
  if (nonblocking) return;
  effects_.close_now(effects_.buffers_of(event, false), event.site);
  if (!fetches(action)) return;
  const Completing how{.site = event.site, .results = event.numbers};
  effects_.complete_operation(region, target, operation, how);
  // Its result proves that everything is delivered that a fence puts before it.
  if (begin.delivery.stage > 1)
    for (const auto& [id, other] : context.regions)
      effects_.complete_delivered(*other, target, begin.delivery, how);
}

void ShmemMeaning::wait_until(const Event& event) {
  if (event.fields.has(Field::flag) && event.fields[Field::flag] == 0) return;
  const WinDefinition* definition = objects_.region_of(event);
  if (definition == nullptr) return;
  std::size_t word = 0;
  for (const Buffer& buffer : event.buffers) {
    if (word >= event.numbers.size()) return;
    const auto value = static_cast<std::uint64_t>(event.numbers[word++]);
    const std::uint8_t bytes = element_bytes(buffer);
    if (bytes == 0 || buffer.address < definition->base) continue;
    effects_.observe({definition->uid, effects_.rank(), buffer.address - definition->base, bytes},
                     value);
  }
}

void ShmemMeaning::complete(Context& context, const Event& event, At at) {
  for (const auto& [id, region] : context.regions)
    effects_.complete_all(*region, {.at = at, .site = event.site, .results = event.numbers});
}

void ShmemMeaning::complete(const Event& event, Action action) {
  const std::optional<CompletionRule> rule = completion_of(action);
  if (!rule) return;
  switch (rule->contexts) {
    case CompletionRule::Contexts::Default:
      return complete(objects_.context(0), event, rule->at);
    case CompletionRule::Contexts::One:
      return complete(objects_.context_of(event), event, rule->at);
    case CompletionRule::Contexts::All:
      return objects_.each_context([&](Context& context) { complete(context, event, rule->at); });
  }
}

}  // namespace photofinish::shmem_meaning
