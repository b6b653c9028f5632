// Puts the hooks of runtime_abi.h into a module.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <map>
#include <set>
#include <string>

#include "compiler/accesses.h"
#include "compiler/parallel_regions.h"
#include "compiler/ranges.h"

namespace photofinish::compiler {

// PHOTOFINISH_WRITES, PHOTOFINISH_RELEASES, for the number of bytes.
std::uint64_t how(const MemoryAccess& access);

class Instrumenter {
 public:
  explicit Instrumenter(llvm::Module& module);

  // Several accesses behind one base, at most PHOTOFINISH_SPAN bytes from the first to the last, at
  // the first instruction of them.
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
    std::vector<Piece> pieces;                 // by offset
    std::vector<llvm::Instruction*> accesses;  // that it stands for
  };
  void add(const Check& check);
  // Before anything else is looked at: what atomic operations of the function tell the library.
  void add_synchronization(llvm::Function& function);
  // The kind of a parallel region, in front of its start.
  void add(const ParallelRegion& region);

  // The numbers first, for all ranges of a function: the analyses that they come from do not
  // survive the hooks.
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
  void add(const MemoryAccess& access);  // alone, of any size

  // What a loop touches through a row of indices: `times` times, in each step those of `slots`,
  // which is a bit for each `bytes` from its begin on.
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
  // Whether the loop need not look at what it touches.
  llvm::Value* add(const Gathers& gathers);
  // All of them at once, there, unless that is true.
  void add_unless(llvm::Value* reported, llvm::Instruction* before,
                  const std::vector<Check>& checks);

  // Whether memory that others can reach lies in the range, at a place in front of all its
  // accesses.
  llvm::Value* may_be_marked(const Expanded& range);
  // A load or store of its own, in a copy with values: what it found, or stored, goes through the
  // hook. `may_be_marked` is known before, or null.
  void add_value(const MemoryAccess& access, llvm::Value* may_be_marked);
  // How far behind its addresses a loop may work in place of the range, or PHOTOFINISH_ONE_BY_ONE;
  // made there.
  llvm::Value* ahead_of(const Expanded& range, llvm::Instruction* before);
  // A load or store of such a loop.
  void move_behind(llvm::Instruction& access, llvm::Value* distance);
  // What has been seen of the memory around a pointer, for accesses of so many bytes; if nobody
  // else can reach it, all that nobody else can reach.
  struct Seen {
    llvm::Value *begin = nullptr, *room = nullptr, *distance = nullptr, *checked = nullptr,
                *shift = nullptr;
    std::uint64_t bytes = 0;
  };
  Seen seen_behind(llvm::Value* base, bool writes, std::uint64_t bytes, llvm::Instruction* before);
  // A load or store that may be there; if it is not, it stays as it is.
  void move_behind_if_seen(llvm::Instruction& access, const Seen& seen);
  // Where a loop goes round, now and then: all around these is looked at again.
  void add_check_again(llvm::Instruction* before, const std::vector<llvm::Value*>& bases);
  // Whether the process is neither recorded nor replayed.
  llvm::Value* without_values(llvm::Instruction* before);

  // A part of a function that has a copy without hooks (runtime_abi.h).
  struct Region {
    llvm::GlobalVariable* passed;
    llvm::BasicBlock* begin = nullptr;  // all of it is behind this; null: the whole function
  };
  Region new_region();
  // Whether it is to be looked at, as far as is known where it is entered: there is memory that
  // others can reach, and somebody wants to hear of it.
  llvm::Value* checked_at(const Region& region, llvm::Instruction* before);
  // With all hooks in.
  void end_function(llvm::Function& function, const std::vector<Region>& regions);

  void add_notes(std::uint32_t found, std::uint32_t checked_at);

 private:
  llvm::Value* is_marked(llvm::IRBuilderBase& builder, llvm::Value* address);
  llvm::Value* field(llvm::IRBuilderBase& builder, unsigned index);
  struct Borders {
    llvm::Value *low, *high;  // from the first byte to behind the last
    llvm::Value* meets;       // those of all that others can reach
    llvm::Value* anything;    // whether there is any
  };
  Borders borders_of(llvm::IRBuilderBase& builder, const Expanded& range);
  llvm::Constant* new_site(llvm::IRBuilderBase& builder);
  llvm::Constant* distance_of(llvm::GlobalObject& to, llvm::GlobalVariable& from,
                              llvm::ArrayRef<unsigned> word);
  llvm::Function* distance_function();
  void add_note(std::uint32_t type, llvm::GlobalObject& about,
                const std::vector<std::uint32_t>& numbers, const std::string& text);
  std::pair<llvm::BasicBlock*, llvm::Instruction*> unless_seen(llvm::Value* value,
                                                               llvm::Value* address, bool loads,
                                                               llvm::Instruction* before,
                                                               const llvm::DebugLoc& location);
  llvm::Instruction* unless_bit_set(llvm::Value* record, llvm::Value* address, unsigned unit,
                                    llvm::Instruction* before);
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
  llvm::FunctionType *range_hook_, *indices_hook_, *gather_hook_, *value_hook_, *synchronize_hook_,
      *region_hook_;
  llvm::GlobalVariable* always_checked_ = nullptr;
  bool has_thread_pointer_ = false;  // as one instruction
  void call_if_set(llvm::Instruction* before, unsigned hook_field, llvm::FunctionType* type,
                   llvm::ArrayRef<llvm::Value*> arguments);

  struct Location {
    llvm::BasicBlock* block;
    std::uint32_t line;
  };
  std::vector<Location> locations_;  // of the function at hand
  std::map<std::pair<llvm::Function*, llvm::Type*>, llvm::AllocaInst*> variables_;
  struct Lines {
    llvm::GlobalVariable* passed;
    std::set<std::uint32_t> lines;
  };
  std::vector<Lines> regions_;
  std::set<std::uint32_t> lines_outside_;
};

}  // namespace photofinish::compiler
