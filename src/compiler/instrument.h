// Inserts the hooks of runtime_abi.h into a module.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <map>
#include <set>
#include <string>

#include "compiler/accesses.h"
#include "compiler/parallel_regions.h"
#include "compiler/ranges.h"

namespace llvm {
class TargetTransformInfo;
}

namespace photofinish::compiler {

// PHOTOFINISH_WRITES and PHOTOFINISH_RELEASES, to be combined with the number of bytes.
std::uint64_t how(const MemoryAccess& access);

class Instrumenter {
 public:
  explicit Instrumenter(llvm::Module& module);

  // Call it before hooks are inserted into a function. `target`: what that function is compiled
  // for. `many`: hooks of accesses are calls, because the function has many. `plain`: hooks of
  // ranges are as short as possible, too, because it is huge.
  void begin_function(const llvm::TargetTransformInfo& target, bool many, bool plain);

  // Several accesses relative to one base, with at most PHOTOFINISH_SPAN bytes from the first to
  // the last. The check is at the first instruction.
  struct Piece {
    std::int64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t how = 0;
    llvm::DebugLoc location;
    std::uint64_t align = 1;
    llvm::Instruction* first = nullptr;
  };
  struct Check {
    llvm::Instruction* before = nullptr;
    llvm::Value* base = nullptr;
    std::vector<Piece> pieces;                 // sorted by offset
    std::vector<llvm::Instruction*> accesses;  // that the check covers
  };
  void add(const Check& check);
  // Inserts the hooks of atomic operations. Call it before anything else is analyzed.
  void add_synchronization(llvm::Function& function);
  // The kind of a parallel region, in front of its start.
  void add(const ParallelRegion& region);

  // The values of all ranges of a function, expanded before hooks are inserted: the analyses do not
  // survive that.
  struct Expanded {
    llvm::Instruction* before = nullptr;
    llvm::Value* address = nullptr;
    llvm::Value* bytes = nullptr;
    llvm::Value* counts[2] = {};
    llvm::Value* strides[2] = {};
    llvm::Value* condition = nullptr;  // null: always
    std::uint64_t how = 0;
    llvm::DebugLoc location;
  };
  static Expanded expand(const Range& range, llvm::SCEVExpander& expander, std::uint64_t how,
                         const llvm::DebugLoc& location);
  void add(const Expanded& range);
  void add(const MemoryAccess& access);  // one access, of any size

  // The accesses of a loop through a row of indices: `times` steps. Each step uses the indices of
  // `slots`, a bit mask with one bit for each `bytes` bytes.
  struct Gathers {
    llvm::Instruction* before = nullptr;
    llvm::Value *first = nullptr, *times = nullptr;
    std::uint64_t step = 0, bytes = 0;
    bool is_signed = false;
    std::uint64_t slots = 0;
    struct Location {
      llvm::Value* base = nullptr;
      std::uint64_t scale = 1, bytes = 0, how = 0, slots = 0;
      llvm::DebugLoc location;
    };
    std::vector<Location> locations;
  };
  // Returns whether the accesses in the loop need no hooks.
  llvm::Value* add(const Gathers& gathers);
  // Inserts all of them at `before`, skipped if `reported` is true.
  void add_unless(llvm::Value* reported, llvm::Instruction* before,
                  const std::vector<Check>& checks);

  // A single load or store in a copy with values: the value that it loads or stores goes through
  // the hook.
  void add_value(const MemoryAccess& access);
  // The distance to the memory that the loop may use in place of the range, or
  // PHOTOFINISH_ONE_BY_ONE. Computed at `before`.
  llvm::Value* ahead_of(const Expanded& range, llvm::Instruction* before);
  // Redirects a load or store of such a loop.
  void move_behind(llvm::Instruction& access, llvm::Value* distance);
  // The rank's copy of the memory around a pointer, for accesses of `bytes` bytes. If the memory is
  // not reachable: all memory that is not.
  struct Seen {
    llvm::Value *begin = nullptr, *room = nullptr, *distance = nullptr, *checked = nullptr,
                *shift = nullptr;
    std::uint64_t bytes = 0;
  };
  Seen seen_behind(llvm::Value* base, bool writes, std::uint64_t bytes, llvm::Instruction* before);
  // Redirects a load or store if its address is in `seen`, and leaves it as it is otherwise.
  void move_behind_if_seen(llvm::Instruction& access, const Seen& seen);
  // At a loop latch, every few iterations: checks the memory around the bases again.
  void add_check_again(llvm::Instruction* before, const std::vector<llvm::Value*>& bases);
  // Whether the process is neither recorded nor replayed. `reaches_nothing`: or no memory is
  // reachable, which cannot change in the function.
  llvm::Value* without_values(llvm::Instruction* before, bool reaches_nothing);

  // A part of a function that has a copy without hooks (runtime_abi.h).
  struct Region {
    llvm::GlobalVariable* passed;
    llvm::BasicBlock* begin = nullptr;  // dominates the region; null: the whole function
  };
  Region new_region();
  // Whether to enter the version with hooks: there is reachable memory, and the library wants
  // accesses of this region.
  llvm::Value* checked_at(const Region& region, llvm::Instruction* before);
  // Addresses of the first byte, and of one past the last.
  using Boxes = std::vector<std::pair<llvm::Value*, llvm::Value*>>;
  // The same, and reachable memory lies in the boxes.
  llvm::Value* checked_at(const Region& region, const Boxes& boxes, llvm::Instruction* before);
  // Call it once all hooks are inserted.
  void end_function(llvm::Function& function, const std::vector<Region>& regions);

  void add_notes(std::uint32_t found, std::uint32_t checked_at);

 private:
  llvm::Value* is_marked(llvm::IRBuilderBase& builder, llvm::Value* address);
  llvm::Value* field(llvm::IRBuilderBase& builder, unsigned index);
  struct Borders {
    llvm::Value *low, *high;  // from the first byte to one past the last
    llvm::Value* meets;       // overlaps the bounds of reachable memory
    llvm::Value* anything;    // there is reachable memory
  };
  Borders borders_of(llvm::IRBuilderBase& builder, const Expanded& range);
  llvm::Constant* new_site(llvm::IRBuilderBase& builder);
  llvm::Constant* distance_of(llvm::GlobalObject& to, llvm::GlobalVariable& from,
                              llvm::ArrayRef<unsigned> word);
  llvm::Function* distance_function();
  void add_note(std::uint32_t type, llvm::GlobalObject& about,
                const std::vector<std::uint32_t>& numbers, const std::string& text);
  llvm::Instruction* unless_seen(llvm::Value* value, llvm::Value* address, bool loads,
                                 llvm::Instruction* before);
  llvm::Instruction* unless_bit_set(llvm::Value* record, llvm::Value* address, llvm::Value* unit,
                                    llvm::Instruction* before);
  llvm::Value* site_of_thread(llvm::IRBuilderBase& builder, llvm::Value* site);
  llvm::Function* bit_function();
  llvm::Function* value_function(bool loads, std::uint64_t bytes);
  void add_plain(const Expanded& range);
  void add_unknown(const MemoryAccess& access);
  void add_lanes(const MemoryAccess& access);
  void add_array(const MemoryAccess& access);
  llvm::Value* bytes_of(llvm::IRBuilderBase& builder, const MemoryAccess& access);
  llvm::Value* common(llvm::IRBuilderBase& builder, llvm::Value* a, llvm::Value* b,
                      llvm::Value* limit);
  llvm::Instruction* cold_branch(llvm::Value* condition, llvm::Instruction* before);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::Type* i8_;
  llvm::Type* i64_;
  llvm::PointerType* pointer_;
  llvm::StructType* state_type_;
  llvm::GlobalVariable* state_;
  llvm::GlobalVariable* distance_;  // of the calling thread to its own sites
  llvm::StructType* site_type_;
  llvm::StructType* seen_type_;
  llvm::StructType* index_type_;
  llvm::FunctionType *range_hook_, *indices_hook_, *gather_hook_, *synchronize_hook_, *region_hook_;
  llvm::GlobalVariable* always_checked_ = nullptr;
  bool has_thread_pointer_ = false;  // can be read by one instruction
  bool has_avx_ = false;             // the current function is compiled for AVX
  bool many_ = false;                // hooks of its accesses are calls
  bool plain_ = false;               // hooks of its ranges, too
  // In such a function: the end of the block for the ranges in front of an instruction.
  std::map<llvm::Instruction*, llvm::Instruction*> plain_ranges_;
  void call_if_set(llvm::Instruction* before, unsigned hook_field, llvm::FunctionType* type,
                   llvm::ArrayRef<llvm::Value*> arguments);

  struct Location {
    llvm::BasicBlock* block;
    std::uint32_t line;
  };
  std::vector<Location> locations_;  // of the current function
  std::map<std::pair<llvm::Function*, llvm::Type*>, llvm::AllocaInst*> variables_;
  struct Lines {
    llvm::GlobalVariable* passed;
    std::set<std::uint32_t> lines;
  };
  std::vector<Lines> regions_;
  std::set<std::uint32_t> lines_outside_;
};

}  // namespace photofinish::compiler
