// Rule: accesses of one block between two calls that may reach MPI have the same timestamp. Those
// at constant distances of at most PHOTOFINISH_SPAN bytes share one check: the mark of the first
// byte stands for all of them. Only behind that check are they reported one by one. Bytes accessed
// twice in the same way count once, at the first access site. A load on the line of a store to the
// same bytes is dropped. The check precedes the first access that it covers, and uses the address
// of that access as its base.
#include "compiler/neighbors.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <tuple>

#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {

using namespace llvm;

namespace {

constexpr std::ptrdiff_t kAsked = 64;  // only the last ones: blocks may be long

struct Near {
  const MemoryAccess* access;
  std::int64_t offset;
  std::size_t position;  // in program order
  std::int64_t end() const { return offset + static_cast<std::int64_t>(access->bytes); }
  unsigned line() const {
    const DebugLoc location = location_of(*access->instruction);
    return location ? location.getLine() : 0;
  }
};

bool covers(const Near& one, const Near& other) {
  return one.offset <= other.offset && other.end() <= one.end();
}

// Whether `one` can be dropped because `other` covers it.
bool adds_nothing(const Near& one, const Near& other) {
  if (&one == &other || !covers(other, one)) return false;
  if (one.access->writes == other.access->writes)
    return !covers(one, other) || other.position < one.position;
  return other.access->writes && one.line() == other.line();
}

Instrumenter::Check check_of(const std::vector<Near>& group) {
  const Near& first =
      *std::min_element(group.begin(), group.end(),
                        [](const Near& a, const Near& b) { return a.position < b.position; });
  Instrumenter::Check check{first.access->instruction, first.access->address, {}, {}};
  for (const Near& near : group) check.accesses.push_back(near.access->instruction);
  const Near* last = nullptr;
  for (const Near& near : group) {
    if (std::any_of(group.begin(), group.end(),
                    [&](const Near& other) { return adds_nothing(near, other); }))
      continue;
    // Adjacent and on one line: one access.
    if (last != nullptr && last->access->writes == near.access->writes &&
        last->line() == near.line() &&
        near.offset - first.offset <=
            check.pieces.back().offset + static_cast<std::int64_t>(check.pieces.back().bytes)) {
      Instrumenter::Piece& piece = check.pieces.back();
      piece.bytes = std::max(piece.bytes,
                             static_cast<std::uint64_t>(near.end() - first.offset - piece.offset));
    } else {
      check.pieces.push_back({near.offset - first.offset, near.access->bytes, how(*near.access),
                              location_of(*near.access->instruction), near.access->align,
                              near.access->instruction});
    }
    last = &near;
  }
  return check;
}

void join_segment(const std::vector<const MemoryAccess*>& segment, ScalarEvolution& evolution,
                  std::vector<Instrumenter::Check>& checks) {
  std::vector<std::pair<const SCEV*, std::vector<Near>>>
      bases;  // in program order: the output must not depend on pointer values
  std::size_t position = 0;
  for (const MemoryAccess* access : segment) {
    const SCEV* address = evolution.getSCEV(access->address);
    std::int64_t offset = 0;
    const auto is_near = [&](const auto& entry) {
      const auto* distance = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(address, entry.first));
      if (distance == nullptr) return false;
      offset = distance->getAPInt().getSExtValue();
      return true;
    };
    const auto end =
        static_cast<std::ptrdiff_t>(bases.size()) > kAsked ? bases.rbegin() + kAsked : bases.rend();
    const auto found = std::find_if(bases.rbegin(), end, is_near);
    if (found != end)
      found->second.push_back({access, offset, position++});
    else
      bases.push_back({address, {{access, 0, position++}}});
  }
  for (auto& [base, all] : bases) {
    std::stable_sort(all.begin(), all.end(), [](const Near& a, const Near& b) {
      return std::tuple(a.offset, a.access->writes, a.position) <
             std::tuple(b.offset, b.access->writes, b.position);
    });
    for (auto first = all.begin(); first != all.end();) {
      const auto last = std::find_if(first, all.end(), [&](const Near& near) {
        return near.end() - first->offset > PHOTOFINISH_SPAN;
      });
      checks.push_back(check_of({first, last}));
      first = last;
    }
  }
}

}  // namespace

std::vector<Instrumenter::Check> join_neighbors(const std::vector<MemoryAccess>& accesses,
                                                const QuietCalls& quiet,
                                                ScalarEvolution& evolution) {
  std::vector<Instrumenter::Check> checks;
  std::vector<const MemoryAccess*> segment;
  const auto finish = [&] {
    join_segment(segment, evolution, checks);
    segment.clear();
  };
  const Instruction* last = nullptr;
  for (const MemoryAccess& access : accesses) {
    if (last != nullptr && last->getParent() != access.instruction->getParent())
      finish();
    else if (last != nullptr)
      for (const Instruction* between = last; between != access.instruction;
           between = between->getNextNode())
        if (!quiet.is_quiet(*between)) {
          finish();
          break;
        }
    segment.push_back(&access);
    last = access.instruction;
  }
  finish();
  return checks;
}

}  // namespace photofinish::compiler
