// The pass, a plugin for clang, flang and opt. It finds the accesses of each function, drops those
// that no other rank can observe, turns loops into ranges, joins neighbors, and inserts hooks for
// the rest.
//
// It runs after all optimizations. Removed accesses need no hook, loops are analyzed as vectorized,
// and hooks block no optimization. Only the accesses of loop nests are noted before vectorization
// (nests.h).
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <optional>

#include "compiler/accesses.h"
#include "compiler/ahead.h"
#include "compiler/boxes.h"
#include "compiler/contraction.h"
#include "compiler/copies.h"
#include "compiler/gathers.h"
#include "compiler/instrument.h"
#include "compiler/neighbors.h"
#include "compiler/nests.h"
#include "compiler/ranges.h"
#include "compiler/relevance.h"
#include "compiler/remarks.h"
#include "compiler/sections.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {
namespace {

using namespace llvm;

constexpr const char* kMark = "photofinish";

// Runs first. LLVM does not introduce speculative loads and stores in functions with the
// sanitize_thread attribute, so this sets it; the pass removes it at the end. Equal MPI calls in
// two branches must stay two calls, because a report tells them apart by line.
class NoSpeculation : public PassInfoMixin<NoSpeculation> {
 public:
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    for (Function& function : module) {
      if (!function.isDeclaration()) mark_sections(function);
      if (function.isDeclaration() || function.hasFnAttribute(Attribute::SanitizeThread)) continue;
      function.addFnAttr(Attribute::SanitizeThread);
      function.addFnAttr(kMark);
      for (Instruction& instruction : instructions(function))
        if (auto* call = dyn_cast<CallBase>(&instruction); call != nullptr && of_mpi(*call))
          call->addFnAttr(Attribute::NoMerge);
    }
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

 private:
  // MPI functions of C, and of Fortran, whose names are in lower case.
  static bool of_mpi(const CallBase& call) {
    const Function* callee = call.getCalledFunction();
    return callee != nullptr &&
           (callee->getName().starts_with("MPI_") || callee->getName().starts_with("mpi_"));
  }
};

bool is_defined_here(const Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(Attribute::Naked);
}

// A tail call replaces the frame of its caller, and a report would name the caller's caller
// instead. So calls that may reach MPI are not tail calls. `musttail` is a demand of the program
// and stays.
void keep_frames(Function& function, const QuietCalls& quiet) {
  for (Instruction& instruction : instructions(function))
    if (auto* call = dyn_cast<CallInst>(&instruction); call != nullptr && !call->isMustTailCall() &&
                                                       !call->isInlineAsm() &&
                                                       !quiet.is_quiet(*call))
      call->setTailCallKind(CallInst::TCK_NoTail);
}

// Before loops are vectorized.
class Nests : public PassInfoMixin<Nests> {
 public:
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    const QuietCalls quiet(module);
    const Relevance relevance(module);
    std::vector<Function*> all;
    for (Function& function : module)
      if (is_defined_here(function)) all.push_back(&function);
    for (Function* function : all) report_nests(*function, relevance, quiet, functions);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// Invalid IR is an internal error. It must not reach code generation, which would crash or emit
// wrong code.
void check_is_valid(const Module& module) {
  std::string problem;
  raw_string_ostream text(problem);
  if (!verifyModule(module, &text)) return;
  std::string where = "module " + module.getModuleIdentifier();
  for (const Function& function : module)
    if (verifyFunction(function)) {
      where = "function '" + function.getName().str() + "'";
      break;
    }
  report_fatal_error(Twine("photofinish: internal error: the pass made invalid IR in ") + where +
                         ". Compile this file without pfmpicc, and report it:\n" + text.str(),
                     false);
}

class LoadsAndStores : public PassInfoMixin<LoadsAndStores> {
 public:
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    if (module.getNamedGlobal(kDone) != nullptr)
      return PreservedAnalyses::all();  // the plugin is given twice on the command line
    auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    Instrumenter instrumenter(module);
    for (Function& function : module)
      if (is_defined_here(function)) {
        for (const ParallelRegion& region : parallel_regions(function)) instrumenter.add(region);
        instrumenter.add_synchronization(function);
        functions.invalidate(function, PreservedAnalyses::none());
        normalize_loops(function, functions);
      }
    const ReportedNests nests(module);
    const QuietCalls quiet(module);
    const Relevance relevance(module);
    std::uint32_t found = 0, checked_at = 0;
    std::vector<Function*> all;  // without functions that the pass adds
    for (Function& function : module) all.push_back(&function);
    for (Function* each : all) {
      Function& function = *each;
      if (function.hasFnAttribute(kMark)) function.removeFnAttr(Attribute::SanitizeThread);
      if (!is_defined_here(function)) continue;
      keep_frames(function, quiet);
      keep_contractions(function);
      Remarks remarks(functions.getResult<OptimizationRemarkEmitterAnalysis>(function));
      std::vector<MemoryAccess> accesses = find_accesses(function);
      const std::size_t found_here = accesses.size();
      found += static_cast<std::uint32_t>(found_here);
      std::erase_if(accesses, [&](const MemoryAccess& access) {
        const char* reason = relevance.irrelevant(access);
        if (reason != nullptr) remarks.dropped(access, reason);
        return reason != nullptr;
      });
      remarks.function(function, found_here, accesses.size());
      const std::vector<MemoryAccess> releases = find_releases(function, quiet, relevance);
      if (accesses.empty() && nests.ranges_of(function).empty() && releases.empty()) continue;
      const std::size_t checked_here = accesses.size();
      checked_at += static_cast<std::uint32_t>(checked_here);
      const bool huge = function.getInstructionCount() > kHuge || checked_here > kAccesses ||
                        function.hasOptSize();
      const bool many = huge || checked_here > kMany;
      const auto& target = functions.getResult<TargetIRAnalysis>(function);
      // Hooks do not count as calls that may reach MPI, so this is asked before there are any.
      const bool reaches_nothing = all_of(
          instructions(function), [&](const Instruction& one) { return quiet.is_quiet(one); });
      Function* with_values = !accesses.empty() && can_be_copied(function)
                                  ? copy_of(function, ".with_values")
                                  : nullptr;
      instrumenter.begin_function(target, many, huge);
      if (with_values != nullptr)
        instrument_values(*with_values, relevance, quiet, functions, instrumenter, many);
      instrumenter.begin_function(target, many, huge);
      std::erase_if(accesses, [&](const MemoryAccess& access) {
        return nests.is_reported(*access.instruction);
      });
      instrument(function, accesses, nests.ranges_of(function), releases, quiet, functions,
                 instrumenter, remarks, huge);
      if (with_values != nullptr)
        choose_at_entry(function, *with_values, [&](Instruction* before) {
          return instrumenter.without_values(before, reaches_nothing);
        });
    }
    instrumenter.add_notes(found, checked_at);
    new GlobalVariable(module, Type::getInt8Ty(module.getContext()), true,
                       GlobalValue::PrivateLinkage,
                       Constant::getNullValue(Type::getInt8Ty(module.getContext())), kDone);
    check_is_valid(module);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

 private:
  static constexpr const char* kDone = "__photofinish_done";
  // Instructions of a function. Register allocation takes more than linear time, and a hook is
  // larger than the access. Huge functions, and those optimized for size, have short hooks.
  static constexpr unsigned kHuge = 1000;
  // Accesses of a huge function, and of one whose hooks are calls.
  static constexpr std::size_t kAccesses = 128, kMany = 24;
  // Instructions of functions, or of the loops of one function, that are copied.
  static constexpr std::size_t kCopied = 2500;
  // Ranges and accesses that a function with many accesses prepares ahead of its loops.
  static constexpr std::size_t kAhead = 48;
  // Boxes of a loop.
  static constexpr std::size_t kBoxes = 16;

  // One hook for each access: the loaded values are unknown in front of a loop.
  static void instrument_values(Function& copy, const Relevance& relevance, const QuietCalls& quiet,
                                FunctionAnalysisManager& functions, Instrumenter& instrumenter,
                                bool many) {
    auto& evolution = functions.getResult<ScalarEvolutionAnalysis>(copy);
    RangeFinder finder(evolution, functions.getResult<LoopAnalysis>(copy),
                       functions.getResult<DominatorTreeAnalysis>(copy), quiet);
    SCEVExpander expander(evolution, copy.getParent()->getDataLayout(), "pf");
    std::vector<MemoryAccess> plain, others;
    LoopInfo& loops = functions.getResult<LoopAnalysis>(copy);
    std::vector<MemoryAccess> accesses = find_accesses(copy);
    std::erase_if(accesses, [&](const MemoryAccess& access) {
      return relevance.irrelevant(access) != nullptr;
    });
    std::vector<Ahead> ahead = find_ahead(accesses, loops, evolution, finder, expander);
    std::size_t asked = 0;
    if (many)
      std::erase_if(ahead, [&](const Ahead& one) {
        std::size_t more = one.spaced.size();
        for (const Ahead::Behind& behind : one.behind) more += behind.accesses.size();
        if (asked + more > kAhead) return true;
        asked += more;
        return false;
      });
    for (const MemoryAccess& access : accesses) {
      if ((!isa<LoadInst>(access.instruction) && !isa<StoreInst>(access.instruction)) ||
          access.bytes == 0 || access.bytes > PHOTOFINISH_SPAN) {
        others.push_back(access);
        continue;
      }
      plain.push_back(access);
    }
    go_ahead(ahead, loops, functions.getResult<DominatorTreeAnalysis>(copy), instrumenter);
    // From here on blocks are split, and all analyses are invalid.
    // A call's reads are reported before its writes: a write counts as done at the next report.
    // These hooks are inserted first, so that addresses that were loaded use the values from
    // add_value.
    for (const bool writes : {false, true})
      for (const MemoryAccess& access : others)
        if (access.writes == writes) instrumenter.add(access);
    for (const MemoryAccess& access : plain) instrumenter.add_value(access);
    functions.invalidate(copy, PreservedAnalyses::none());
  }

  // What a hook reports: an access, or a range in front of a loop.
  struct Reported {
    const Instruction* at;  // of the hook
    const BasicBlock* block;
    const SCEV* address;
    std::uint64_t bytes;
    std::optional<BoxFinder::Box> range;
  };
  struct Chosen {
    Loop* loop;
    std::optional<Instrumenter::Boxes> boxes;  // of all memory that its hooks report, if known
  };

  // The outermost loops that contain these hooks, cannot reach MPI and are small enough.
  static std::vector<Chosen> loops_to_copy(ArrayRef<Instruction*> locations, RangeFinder& finder,
                                           LoopInfo& loops) {
    std::map<const Loop*, std::size_t> sizes;
    const auto size_of = [&](const Loop& loop) {
      std::size_t& size = sizes[&loop];
      if (size == 0)
        for (const BasicBlock* block : loop.blocks()) size += block->size();
      return size;
    };
    SmallSetVector<Loop*, 8> chosen;
    std::size_t left = kCopied;
    for (const Instruction* location : locations) {
      Loop* outermost = nullptr;
      for (Loop* loop = loops.getLoopFor(location->getParent());
           loop != nullptr && finder.is_quiet(*loop) &&
           (chosen.contains(loop) || size_of(*loop) <= left);
           loop = loop->getParentLoop())
        outermost = loop;
      // Copies of nested loops would multiply.
      const auto meets = [&](const Loop* other) {
        return other->contains(outermost) || outermost->contains(other);
      };
      if (outermost == nullptr || any_of(chosen, meets) || !can_be_copied(*outermost)) continue;
      chosen.insert(outermost);
      left -= size_of(*outermost);
    }
    std::vector<Chosen> result;
    for (Loop* loop : chosen) result.push_back({loop, {}});
    return result;
  }

  // The bounds of a range that was found before vectorization.
  static BoxFinder::Box box_of(const Instrumenter::Expanded& range, ScalarEvolution& evolution) {
    const auto number = [&](Value* value) { return evolution.getSCEV(value); };
    BoxFinder::Box box;
    box.low = evolution.getPtrToIntExpr(number(range.address),
                                        Type::getInt64Ty(range.address->getContext()));
    box.high = evolution.getAddExpr(box.low, number(range.bytes));
    for (const unsigned i : {0U, 1U}) {
      const SCEV* count = number(range.counts[i]);
      const SCEV* span =
          evolution.getMulExpr(evolution.getMinusSCEV(count, evolution.getOne(count->getType())),
                               number(range.strides[i]));
      const SCEV* zero = evolution.getZero(span->getType());
      box.low = evolution.getAddExpr(box.low, evolution.getSMinExpr(span, zero));
      box.high = evolution.getAddExpr(box.high, evolution.getSMaxExpr(span, zero));
    }
    return box;
  }

  // The memory that the hooks of the loop report, in front of it; none if it is not known there.
  static std::optional<Instrumenter::Boxes> boxes_of(const Loop& loop,
                                                     const std::vector<Reported>& reported,
                                                     BoxFinder& finder, ScalarEvolution& evolution,
                                                     SCEVExpander& expander) {
    std::vector<BoxFinder::Box> boxes;
    for (const Reported& one : reported) {
      if (!loop.contains(one.at) && one.at->getParent() != loop.getLoopPreheader()) continue;
      const auto box = one.range ? finder.find(*one.block, *one.range, loop)
                                 : finder.find(*one.block, one.address, one.bytes, loop);
      if (!box) return {};
      boxes.push_back(*box);
    }
    boxes = joined(std::move(boxes), evolution);
    if (boxes.size() > kBoxes) return {};
    return expand(boxes, expander, loop.getLoopPreheader()->getTerminator());
  }

  // Whether the first `count` of these hooks are in front of all loops, or in a chosen one that has
  // boxes.
  static bool all_have_boxes(const std::vector<Chosen>& chosen,
                             const std::vector<Instruction*>& locations, std::size_t count,
                             const LoopInfo& loops) {
    return all_of(ArrayRef(locations).take_front(count), [&](const Instruction* location) {
      return loops.getLoopFor(location->getParent()) == nullptr ||
             any_of(chosen,
                    [&](const Chosen& one) { return one.boxes && one.loop->contains(location); });
    });
  }

  static std::vector<Instrumenter::Region> choose_at_loops(const std::vector<Chosen>& chosen,
                                                           LoopInfo& loops,
                                                           DominatorTree& dominators,
                                                           Instrumenter& instrumenter) {
    std::vector<Instrumenter::Region> regions;
    for (const auto& [loop, boxes] : chosen) {
      Instrumenter::Region region = instrumenter.new_region();
      ValueToValueMapTy map;
      region.begin = choose_at_loop(*loop, loops, dominators, map, [&](Instruction* before) {
        return boxes ? instrumenter.checked_at(region, *boxes, before)
                     : instrumenter.checked_at(region, before);
      });
      regions.push_back(region);
    }
    return regions;
  }

  static void instrument(Function& function, const std::vector<MemoryAccess>& accesses,
                         std::vector<Instrumenter::Expanded> ranges,
                         const std::vector<MemoryAccess>& releases, const QuietCalls& quiet,
                         FunctionAnalysisManager& functions, Instrumenter& instrumenter,
                         Remarks& remarks, bool huge) {
    auto& evolution = functions.getResult<ScalarEvolutionAnalysis>(function);
    LoopInfo& loops = functions.getResult<LoopAnalysis>(function);
    RangeFinder finder(evolution, loops, functions.getResult<DominatorTreeAnalysis>(function),
                       quiet);
    GatherFinder gather_finder(evolution, functions.getResult<AAManager>(function), finder);
    // Tests in loops cost time in every iteration; tests in front of loops do not.
    const auto in_loop = [&](const MemoryAccess& access) {
      return loops.getLoopFor(access.instruction->getParent()) != nullptr;
    };
    Function* copy = function.getInstructionCount() <= kCopied && any_of(accesses, in_loop) &&
                             may_be_without_tests(function, quiet)
                         ? copy_of(function, ".without_tests")
                         : nullptr;
    bool left_in_loops = false;
    SCEVExpander expander(evolution, function.getParent()->getDataLayout(), "pf");
    struct Hoisted {
      Range range;
      MemoryAccess access;
      const SCEV* address;
      DebugLoc location;
    };
    std::vector<Hoisted> hoisted;
    std::vector<MemoryAccess> small, alone = releases;
    const auto hoist = [&](const MemoryAccess& access, const SCEV* address,
                           const DebugLoc& location) {
      const auto range = finder.find(*access.instruction->getParent(), address, access.bytes);
      if (range) hoisted.push_back({*range, access, address, location});
      return range.has_value();
    };
    const auto stays = [&](const MemoryAccess& access, const char* reason) {
      if (reason != nullptr) remarks.stays(access, reason);
    };
    for (const MemoryAccess& access : accesses) {
      if (access.bytes != 0 && access.bytes <= PHOTOFINISH_SPAN) {
        small.push_back(access);
      } else if (access.address->getType()->isVectorTy() ||
                 !hoist(access, evolution.getSCEV(access.address),
                        location_of(*access.instruction))) {
        if (!access.address->getType()->isVectorTy()) stays(access, finder.reason());
        alone.push_back(access), left_in_loops |= in_loop(access);
      }
    }
    // Joins the accesses of an unrolled loop first, so that they are one range of the outer loop.
    auto checks = join_neighbors(small, quiet, evolution);
    const auto address_of = [&](const Instrumenter::Check& check,
                                const Instrumenter::Piece& piece) {
      const SCEV* base = evolution.getSCEV(check.base);
      return evolution.getAddExpr(
          base, evolution.getConstant(evolution.getEffectiveSCEVType(base->getType()),
                                      static_cast<std::uint64_t>(piece.offset), true));
    };
    const auto access_of = [&](const Instrumenter::Check& check, const Instrumenter::Piece& piece) {
      return MemoryAccess{
          piece.first, check.base, piece.bytes, {}, (piece.how & PHOTOFINISH_WRITES) != 0};
    };
    for (auto& check : checks) {
      if (check.accesses.size() > 1)
        remarks.joined(*check.before, check.accesses.size(), check.pieces.size());
      std::erase_if(check.pieces, [&](const Instrumenter::Piece& piece) {
        return hoist(access_of(check, piece), address_of(check, piece), piece.location);
      });
    }
    // Of the rest, accesses through index arrays.
    struct Gathered {
      std::size_t row;   // of indices
      Instruction* end;  // of the block
      std::vector<Instrumenter::Check> checks;
    };
    std::vector<Gathered> gathered;
    const auto through_indices = [&](const Instrumenter::Check& check,
                                     const Instrumenter::Piece& piece) {
      BasicBlock* block = piece.first->getParent();
      const auto found =
          gather_finder.find(piece, address_of(check, piece), loops.getLoopFor(block));
      if (!found) return false;
      remarks.gathered(access_of(check, piece), found->loops);
      const auto same = [&](const Gathered& one) {
        return one.row == found->row && one.end == block->getTerminator();
      };
      auto together = std::find_if(gathered.begin(), gathered.end(), same);
      if (together == gathered.end())
        together = gathered.insert(together, {found->row, block->getTerminator(), {}});
      together->checks.push_back({nullptr, check.base, {piece}});
      return true;
    };
    for (auto& check : checks)
      std::erase_if(check.pieces, [&](const Instrumenter::Piece& piece) {
        if (through_indices(check, piece)) return true;
        finder.find(*piece.first->getParent(), address_of(check, piece), piece.bytes);
        stays(access_of(check, piece), finder.reason());
        return false;
      });
    const std::vector<Instrumenter::Expanded> nests = ranges;
    for (const Hoisted& one : hoisted) {
      remarks.hoisted(one.access, one.range.loops);
      ranges.push_back(Instrumenter::expand(one.range, expander, how(one.access), one.location));
    }
    const auto gathers = gather_finder.expand(expander);
    left_in_loops |= !gathers.empty();  // loops with few indices
    std::erase_if(checks, [](const Instrumenter::Check& check) { return check.pieces.empty(); });
    left_in_loops |= any_of(checks, [&](const Instrumenter::Check& check) {
      return loops.getLoopFor(check.before->getParent()) != nullptr;
    });
    std::vector<Instruction*> locations;
    std::vector<Reported> reports;
    const auto reports_pieces = [&](const Instrumenter::Check& check, Instruction* at) {
      locations.push_back(at);
      for (const auto& piece : check.pieces)
        reports.push_back(
            {at, piece.first->getParent(), address_of(check, piece), piece.bytes, {}});
    };
    for (const Gathered& few : gathered)
      for (const auto& check : few.checks) reports_pieces(check, few.end);
    for (const auto& check : checks) reports_pieces(check, check.before);
    for (const MemoryAccess& access : alone) {
      locations.push_back(access.instruction);
      reports.push_back({access.instruction,
                         access.instruction->getParent(),
                         evolution.getSCEV(access.address),
                         access.bytes,
                         {}});
    }
    const std::size_t left = locations.size();
    for (const auto& range : ranges)
      if (!huge) locations.push_back(range.before);
    for (const Hoisted& one : hoisted)
      reports.push_back({one.range.before,
                         one.access.instruction->getParent(),
                         one.address,
                         one.access.bytes,
                         {}});
    for (const auto& range : nests)
      reports.push_back(
          {range.before, range.before->getParent(), nullptr, 0, box_of(range, evolution)});
    std::vector<Chosen> chosen = loops_to_copy(
        ArrayRef(locations).take_front(copy == nullptr ? locations.size() : left), finder, loops);
    BoxFinder boxes(evolution, loops);
    for (Chosen& one : chosen) one.boxes = boxes_of(*one.loop, reports, boxes, evolution, expander);
    // A copy of each loop is better than one of the function if it runs beside reachable memory.
    if (copy != nullptr && left_in_loops && all_have_boxes(chosen, locations, left, loops)) {
      copy->eraseFromParent();
      copy = nullptr;
    }
    std::vector<Instrumenter::Region> regions;
    if (copy == nullptr)
      regions = choose_at_loops(chosen, loops, functions.getResult<DominatorTreeAnalysis>(function),
                                instrumenter);
    // From here on blocks are split, and all analyses are invalid.
    for (const auto& range : ranges) instrumenter.add(range);
    std::vector<Value*> reported;
    for (const auto& gather : gathers) reported.push_back(instrumenter.add(gather));
    for (const Gathered& few : gathered)
      instrumenter.add_unless(reported[few.row], few.end, few.checks);
    for (const auto& check : checks) instrumenter.add(check);
    for (const MemoryAccess& access : alone) instrumenter.add(access);
    if (copy != nullptr && left_in_loops) {
      regions.push_back(instrumenter.new_region());
      choose_at_entry(function, *copy, [&](Instruction* before) {
        return instrumenter.checked_at(regions.front(), before);
      });
    } else if (copy != nullptr) {
      copy->eraseFromParent();
    }
    instrumenter.end_function(function, regions);
    functions.invalidate(function, PreservedAnalyses::none());
  }
};

}  // namespace
}  // namespace photofinish::compiler

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  using namespace llvm;
  using namespace photofinish::compiler;
  return {LLVM_PLUGIN_API_VERSION, "photofinish", "1", [](PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](ModulePassManager& passes, auto...) { passes.addPass(NoSpeculation()); });
            builder.registerOptimizerEarlyEPCallback(
                [](ModulePassManager& passes, OptimizationLevel level, auto...) {
                  if (level != OptimizationLevel::O0) passes.addPass(Nests());
                });
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager& passes, auto...) { passes.addPass(LoadsAndStores()); });
            builder.registerPipelineParsingCallback([](StringRef name, ModulePassManager& passes,
                                                       ArrayRef<PassBuilder::PipelineElement>) {
              if (name == "photofinish-nests")
                passes.addPass(Nests());
              else if (name == "photofinish")
                passes.addPass(LoadsAndStores());
              else
                return false;
              return true;
            });
          }};
}
