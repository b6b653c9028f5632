// Accesses to shared memory, and the calls that complete them. Relaxed and strict accesses are
// complete when they return; non-blocking transfers when upc_sync or upc_synci returns.
#include "upc_runtime/operations.h"
#include "frontend/upc/meaning/meaning.h"
#include "frontend/upc/meaning/memory_model.h"

namespace photofinish::upc_meaning {
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
  if (event.call == UpcCall::strict_read) return ReduceOp::NoOp;
  if (event.call == UpcCall::strict_write) return ReduceOp::Replace;
  switch (event.fields[Field::value]) {
    case upc::kGet:
      return ReduceOp::NoOp;
    case upc::kSet:
      return ReduceOp::Replace;
    case upc::kSwap:
      return ReduceOp::CompareAndSwap;
    case upc::kAdd:
    case upc::kSub:
    case upc::kInc:
    case upc::kDec:
      return ReduceOp::Sum;
    case upc::kMult:
      return ReduceOp::Prod;
    case upc::kAnd:
      return ReduceOp::BitAnd;
    case upc::kOr:
      return ReduceOp::BitOr;
    case upc::kXor:
      return ReduceOp::BitXor;
    case upc::kLogAnd:
      return ReduceOp::LogicalAnd;
    case upc::kLogOr:
      return ReduceOp::LogicalOr;
    case upc::kMin:
      return ReduceOp::Min;
    default:
      return ReduceOp::Max;
  }
}

}  // namespace

void UpcMeaning::follow_definitions() {
  const std::unordered_map<WinId, WinDefinition>& wins = effects_.definitions().wins;
  if (wins.size() == definitions_) return;
  definitions_ = wins.size();
  for (const auto& [id, definition] : wins) {
    if (definition.flavour != WinFlavour::Symmetric || known_.contains(id)) continue;
    known_.insert(id);
    region(definition);  // others may use it before this thread does
    effects_.expose(definition.uid, definition.base, definition.base + definition.size);
  }
}

const WinDefinition* UpcMeaning::region_of(const Event& event) const {
  if (!event.fields.has(Field::win)) return nullptr;
  const std::unordered_map<WinId, WinDefinition>& wins = effects_.definitions().wins;
  const auto found = wins.find(WinId(static_cast<std::uint32_t>(event.fields[Field::win])));
  return found != wins.end() && found->second.flavour == WinFlavour::Symmetric ? &found->second
                                                                               : nullptr;
}

Region& UpcMeaning::region(const WinDefinition& definition) {
  Region*& region = regions_[definition.id];
  if (region == nullptr) region = &effects_.add_region(traits_of(definition));
  return *region;
}

void UpcMeaning::set_value(Pending& added, const Event& event, const Buffer& buffer) const {
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

void UpcMeaning::operation(const Event& event) {
  const WorldRank target(static_cast<std::int32_t>(event.fields[Field::target]));
  const WinDefinition* definition = region_of(event);
  if (target.value < 0 || target.value >= effects_.world_size() || definition == nullptr) return;
  Region& region = this->region(*definition);
  const bool pending = event.fields.has(Field::context);
  const std::uint64_t operation = effects_.next_operation();
  Timeline::Begin begin;
  begin.fetches = !event.numbers.empty();
  for (const Buffer& buffer : event.buffers) {
    begin.kind = kind_of(buffer.access);
    if (buffer.access <= BufferUse::ReadWrite) {
      if (pending) effects_.begin_buffer(region, target, operation, begin, event, buffer);
      continue;
    }
    Pending& added = effects_.begin_target(region, target, operation, begin, event, buffer);
    if (buffer.access == BufferUse::TargetUpdate) set_value(added, event, buffer);
  }
  if (pending) {
    pending_[event.fields[Field::context]].push_back({&region, target, operation});
    return;
  }
  effects_.close_now(effects_.buffers_of(event, false), event.site);
  effects_.complete_operation(region, target, operation,
                              {.site = event.site, .results = event.numbers});
}

void UpcMeaning::complete(const Event& event) {
  const auto found = pending_.find(event.fields[Field::context]);
  if (found == pending_.end()) return;
  for (const Transfer& transfer : found->second)
    effects_.complete_operation(*transfer.region, transfer.target, transfer.operation,
                                {.site = event.site});
  pending_.erase(found);
}

}  // namespace photofinish::upc_meaning
