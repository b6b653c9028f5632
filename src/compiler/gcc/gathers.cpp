// Rule: an access at base + scale * index qualifies if all of these hold. The loop loads the index
// in every iteration, at evenly spaced addresses that nothing in the loop may write to. The base is
// invariant. The loop has a single exit, every call in it returns, and every loop in it ends. The
// library can then read the indices in front of the loop, because the loop would read them all.
//
// Accesses whose indices lie at constant distances share one row of indices: the corners of an
// element, or an unrolled loop.
#include "compiler/gcc/gathers.h"

namespace photofinish::gcc {
namespace {

// From the first index found, in both directions: the slots are the bits of 64.
constexpr std::int64_t kFarthest = 31;

// The index that a sum has, and its scale.
struct Index {
  gimple* load = nullptr;  // of the index, or of a vector of them
  std::uint64_t lane = 0;  // in bytes
  std::int64_t scale = 0;
  std::uint64_t bytes = 0;
  bool is_signed = false;
};

std::optional<Index> index_of(const Sum& sum) {
  if (sum.terms().size() != 1 || sum.terms().front().factor <= 0) return {};
  const auto& [value, scale] = sum.terms().front();
  tree type = TREE_TYPE(value);
  gimple* load = SSA_NAME_DEF_STMT(value);
  std::uint64_t lane = 0;
  if (is_gimple_assign(load) && gimple_assign_rhs_code(load) == BIT_FIELD_REF) {
    tree reference = gimple_assign_rhs1(load), vector = TREE_OPERAND(reference, 0);
    const std::uint64_t at = tree_to_uhwi(TREE_OPERAND(reference, 2));
    if (TREE_CODE(vector) != SSA_NAME || at % BITS_PER_UNIT != 0 ||
        tree_to_uhwi(TREE_OPERAND(reference, 1)) != TYPE_PRECISION(type))
      return {};
    load = SSA_NAME_DEF_STMT(vector);
    lane = at / BITS_PER_UNIT;
  }
  const unsigned bits = TYPE_PRECISION(type);
  if (!gimple_assign_load_p(load) || gimple_has_volatile_ops(load) ||
      TREE_CODE(type) != INTEGER_TYPE || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return {};
  return Index{load, lane, scale, bits / 8, !TYPE_UNSIGNED(type)};
}

}  // namespace

class loop* GatherFinder::find(const Access& access) {
  class loop* loop = gimple_bb(access.statement)->loop_father;
  if (access.bytes == 0 || access.rows > 1 || access.releases || loop_outer(loop) == nullptr)
    return nullptr;
  Sum sum(loop);
  for (tree part : access.parts)
    if (!sum.add(part)) return nullptr;
  sum.add_constant(access.shift);
  const auto index = index_of(sum);
  if (!index) return nullptr;
  tree base = sum.rest();
  auto load = load_of(index->load);
  if (!load) return nullptr;
  load->statement = access.statement;  // a condition may be in between
  const auto range = ranges_.find_rows(*load, [&](class loop* around) {
    return expr_invariant_in_loop_p(around, base) && stays_same(around, index->load);
  });
  if (!range) return nullptr;
  const auto& [times, stride] = range->dimensions.front();
  if (!tree_fits_shwi_p(stride) || tree_to_shwi(stride) <= 0 || tree_to_shwi(stride) >= 1L << 31)
    return nullptr;
  const auto step = static_cast<std::uint64_t>(tree_to_shwi(stride));
  std::int64_t offset = static_cast<std::int64_t>(index->lane);
  Gather* row = nullptr;
  for (Gather& known : rows_) {
    if (known.loop != range->loop || known.step != step || known.bytes != index->bytes ||
        known.is_signed != index->is_signed || !operand_equal_p(known.times, times, 0))
      continue;
    const auto behind = distance_between(known.first, range->address);
    if (!behind) continue;
    const std::int64_t at = *behind + static_cast<std::int64_t>(index->lane);
    const auto width = static_cast<std::int64_t>(index->bytes);
    if (at % width != 0 || std::abs(at) > kFarthest * width) continue;
    offset = at;
    row = &known;
    break;
  }
  if (row == nullptr) {
    if (offset > kFarthest * static_cast<std::int64_t>(index->bytes)) return nullptr;
    rows_.push_back({range->loop, range->address, times, step, index->bytes, index->is_signed, {}});
    row = &rows_.back();
  }
  row->uses.push_back({offset, base, static_cast<std::uint64_t>(index->scale), access});
  return range->loop;
}

}  // namespace photofinish::gcc
