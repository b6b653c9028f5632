// Coindexed accesses and atomics, which are complete when they return.
#include "frontend/caf/meaning/meaning.h"
#include "frontend/caf/meaning/memory_model.h"
#include "frontend/caf/table/atomic_operations.h"

namespace photofinish::caf_meaning {
namespace {

AccessKind kind_of(BufferUse use) {
  switch (use) {
    case BufferUse::Read:
      return AccessKind::Load;
    case BufferUse::TargetRead:
      return AccessKind::Get;
    case BufferUse::TargetWrite:
      return AccessKind::Put;
    case BufferUse::TargetUpdate:
      return AccessKind::Accumulate;
    default:
      return AccessKind::Store;
  }
}

ReduceOp op_of(const Event& event) {
  if (event.call == CafCall::caf_atomic_ref) return ReduceOp::NoOp;
  if (event.call == CafCall::caf_atomic_define) return ReduceOp::Replace;
  if (event.call == CafCall::caf_atomic_cas) return ReduceOp::CompareAndSwap;
  switch (event.fields[Field::value]) {
    case caf::kAtomicAnd:
      return ReduceOp::BitAnd;
    case caf::kAtomicOr:
      return ReduceOp::BitOr;
    case caf::kAtomicXor:
      return ReduceOp::BitXor;
    default:
      return ReduceOp::Sum;
  }
}

}  // namespace

void CafMeaning::follow_definitions() {
  const std::unordered_map<WinId, WinDefinition>& wins = effects_.definitions().wins;
  if (wins.size() == definitions_) return;
  definitions_ = wins.size();
  for (const auto& [id, definition] : wins) {
    if (definition.flavour != WinFlavour::Symmetric || known_.contains(id)) continue;
    known_.insert(id);
    region(definition);  // others may use it before this image does
    if (definition.size > 0)
      effects_.expose(definition.uid, definition.base, definition.base + definition.size);
  }
}

const WinDefinition* CafMeaning::region_of(const Event& event) const {
  if (!event.fields.has(Field::win)) return nullptr;
  const std::unordered_map<WinId, WinDefinition>& wins = effects_.definitions().wins;
  const auto found = wins.find(WinId(static_cast<std::uint32_t>(event.fields[Field::win])));
  return found != wins.end() && found->second.flavour == WinFlavour::Symmetric ? &found->second
                                                                               : nullptr;
}

Region& CafMeaning::region(const WinDefinition& definition) {
  Region*& region = regions_[definition.id];
  if (region == nullptr) region = &effects_.add_region(traits_of(definition));
  return *region;
}

void CafMeaning::set_value(Pending& added, const Event& event, const Buffer& buffer) const {
  Access& access = added.access;
  access.op = op_of(event);
  access.element = {ElementKind::Integer,
                    static_cast<std::uint8_t>(buffer.count <= 8 ? buffer.count : 0)};
  if (!event.fields.has(Field::atomic) || access.element.size == 0) return;
  if (event.fields.has(Field::operand))
    access.operand = static_cast<std::uint64_t>(event.fields[Field::operand]);
  if (event.fields.has(Field::compare))
    added.compare = static_cast<std::uint64_t>(event.fields[Field::compare]);
  access.start = effects_.times().start;
  access.plain_atomic = !added.fetches;
  if (added.fetches) added.atomic = event.fields[Field::atomic];
}

void CafMeaning::operation(const Event& event) {
  effects_.close_now(effects_.buffers_of(event, false), event.site);
  const WorldRank target = event.fields.rank(Field::target);
  const WinDefinition* definition = region_of(event);
  if (target.value < 0 || target.value >= effects_.world_size() || definition == nullptr) return;
  Region& region = this->region(*definition);
  const std::uint64_t operation = effects_.next_operation();
  Timeline::Begin begin;
  begin.fetches = !event.numbers.empty();
  for (const Buffer& buffer : event.buffers) {
    if (buffer.access <= BufferUse::ReadWrite) continue;
    begin.kind = kind_of(buffer.access);
    Pending& added = effects_.begin_target(region, target, operation, begin, event, buffer);
    if (buffer.access == BufferUse::TargetUpdate) set_value(added, event, buffer);
  }
  effects_.complete_operation(region, target, operation,
                              {.site = event.site, .results = event.numbers});
}

void CafMeaning::expose_component(const Event& event) {
  const WinDefinition* definition = region_of(event);
  if (definition == nullptr || event.fields[Field::size] <= 0) return;
  const auto begin = static_cast<std::uint64_t>(event.fields[Field::address]);
  effects_.expose(definition->uid, begin,
                  begin + static_cast<std::uint64_t>(event.fields[Field::size]));
}

// The memory is no longer that of a coarray.
void CafMeaning::withdraw(const Event& event) {
  const WinDefinition* definition = region_of(event);
  if (definition == nullptr) return;
  if (event.call == CafCall::caf_deregister)
    effects_.unexpose(definition->uid);
  else
    effects_.unexpose(definition->uid, static_cast<std::uint64_t>(event.fields[Field::address]));
}

}  // namespace photofinish::caf_meaning
