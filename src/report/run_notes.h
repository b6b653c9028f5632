// Looks up, in the traces of a run, the call sites and windows that findings name. A rank's trace
// is opened on first use, read once for all findings as far as needed, and closed again: a run may
// have more ranks than a process may open files.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/finding.h"
#include "model/message_finding.h"
#include "report/call_text.h"
#include "report/fence_notes.h"
#include "report/site_text.h"
#include "symbols/symbolizer.h"

namespace photofinish {

class RankTrace;

struct SiteNotes {
  std::vector<std::string> stack;  // formatted by SiteText
  std::vector<Frame> frames;
  std::string where;
  std::string location;
  std::optional<Call> call;     // the call; known for those that opened and closed epochs
  bool unchecked_lock = false;  // with MPI_MODE_NOCHECK
  // Of a call that did not return, and waits in a deadlock: `MPI_COMM_WORLD`, `communicator
  // "halo"`.
  std::string comm;
};

// The buffer of a call, as the source names it.
struct BufferNotes {
  std::string expression;         // `&row[1]`; empty if the source does not show it
  std::optional<Variable> local;  // the local variable that the buffer is part of
};

// How a shared object of UPC is distributed over the ranks: in turn, by blocks.
struct SharedLayout {
  std::uint64_t element = 0;           // bytes; 0: a heap
  std::uint64_t block = 0;             // bytes; 0: all elements are on rank 0
  std::vector<std::uint64_t> extents;  // of its dimensions
  std::uint64_t ranks = 1;
};

// A coarray on one image.
struct CoarrayLayout {
  std::uint64_t element = 0, bytes = 0;  // of an element, of all
  std::vector<std::pair<std::int64_t, std::int64_t>>
      bounds;               // lower bound and extent; may be unknown
  std::string declared_at;  // of a static one: "halo.f90:12"; may be empty
};

struct WindowNotes {
  std::string name;
  bool by_address = false;  // MPI_Win_create_dynamic: its offsets are addresses
  bool symmetric = false;   // symmetric memory of OpenSHMEM
  // Shared memory of UPC: a variable, or a heap.
  std::optional<SharedLayout> layout;
  std::optional<CoarrayLayout> coarray;
  std::optional<Call> created_by;
  std::string created_at;  // "setup solver.c:77"
  std::vector<Frame> creation;
};

// A block of a symmetric heap.
struct BlockNotes {
  std::uint64_t begin = 0, bytes = 0;
  Call allocated_by{};
  std::string allocated_at;  // "setup solver.c:77"
};

// A block of the program's heap.
struct AllocationNotes {
  std::uint64_t bytes = 0;
  std::string allocated_at;  // "setup solver.c:77"
};

// The annotations of the program around an access.
struct ScopeNotes {
  std::vector<std::string> regions;  // their names, outermost first
  std::string why;                   // why races there are intended, as the program declares
  std::string declared_at;           // "solver.c:77"
};

// The symbols that earlier reports of the run stored.
std::shared_ptr<SavedSymbols> saved_symbols(const std::string& directory);

class RunNotes {
 public:
  RunNotes(std::string directory, const std::vector<Finding>& findings,
           const MessageFindings& messages = {});

  // Returns empty notes for what is unknown. References live as long as this object.
  const SiteNotes& site(WorldRank rank, SiteId site);
  const WindowNotes& window(WorldRank rank, Uid window);
  // The global or static variable at the first common byte of a finding.
  const std::optional<Variable>& variable(WorldRank rank, std::int64_t address);
  // The block of the symmetric heap at the first common byte of a finding.
  const std::optional<BlockNotes>& block(const Finding& finding);
  // The block of a heap of UPC where the accesses are, if a rank of the finding or rank 0 allocated
  // it.
  std::optional<BlockNotes> heap_block(const Finding& finding);
  // The block of the program's heap at the first common byte of a finding.
  const std::optional<AllocationNotes>& allocation(const Finding& finding);
  // The buffer that a call with this stack reads or writes, and the memory of a window.
  BufferNotes buffer(const std::vector<Frame>& stack, Call call, bool written);
  BufferNotes exposed(const WindowNotes& window);
  std::string source_of(const std::vector<Frame>& stack);  // the source line of the leading frame
  // Whether the rank ended by itself, so that operations it did not complete never complete.
  bool ended(WorldRank rank) { return notes(rank).ended; }
  // The fence with MPI_MODE_NOPRECEDE that would otherwise separate the accesses:
  // "MPI_Win_fence solver.c:77"; empty: there is none.
  std::string asserted_fence(const Finding& finding);
  const std::string& communicator(WorldRank rank, Uid comm);  // its name
  const ScopeNotes& scopes(WorldRank rank, SiteId site, std::uint64_t site_key);
  // A key that is equal for access sites that read the same and have the same scopes.
  std::uint64_t key_as_read(WorldRank rank, SiteId site, std::uint64_t site_key);
  // Why the rank's trace cannot be read, in one line; empty if it can.
  const std::string& trouble(WorldRank rank) { return notes(rank).trouble; }

  // What could not be resolved because it changed since the run: modules and source files.
  const std::set<std::string>& changed_modules() const { return symbolizer_.unmatched(); }
  const std::set<std::string>& changed_sources() const { return sources_.changed(); }
  // Stores what was resolved in the run directory, for reports after a rebuild of the program.
  void save_symbols() const { saved_->write(); }

 private:
  // A byte of symmetric memory in front of an event, by its number.
  struct BlockByte {
    std::int64_t address = 0;
    std::uint64_t before = 0;
    auto operator<=>(const BlockByte&) const = default;
  };
  static std::pair<WorldRank, BlockByte> block_byte(const Finding& finding);
  // Bytes of a heap of UPC.
  struct HeapPlace {
    Uid win;
    WorldRank owner;
    std::int64_t offset = 0;
    auto operator<=>(const HeapPlace&) const = default;
  };
  // A byte of the owner's heap at a time: that of an event, by its number, or when a window exposed
  // it.
  struct HeapByte {
    std::int64_t address = 0;
    std::uint64_t event = 0;
    Uid win;
    auto operator<=>(const HeapByte&) const = default;
  };
  static HeapByte heap_byte(const Finding& finding);
  static std::set<WorldRank> possible_allocators(const Finding& finding) {
    return {finding.owner, finding.sides[0].rank, finding.sides[1].rank, WorldRank(0)};
  }
  struct RankNotes {
    bool read = false;
    bool ended = false;
    std::string trouble;
    // Requested items, with empty notes until they are read.
    std::map<SiteId, SiteNotes> sites;
    std::map<Uid, WindowNotes> windows;
    std::map<Uid, std::string> comms;
    std::map<std::int64_t, std::optional<Variable>> variables;
    std::map<BlockByte, std::optional<BlockNotes>> blocks;
    std::map<HeapPlace, std::optional<BlockNotes>> heap_blocks;
    std::map<HeapByte, std::optional<AllocationNotes>> allocations;
    std::map<std::pair<SiteId, std::uint64_t>, ScopeNotes> scopes;
    FenceNotes fences;
    std::set<SiteId> callers;  // the sites whose call is requested, too
    std::set<SiteId> waiting;  // the sites of calls that did not return
  };
  RankNotes& notes(WorldRank rank);
  void want_caller(WorldRank rank, SiteId site);
  void want_end(const MessageEnd& end);
  void want_scopes(WorldRank rank, SiteId site, std::uint64_t site_key) {
    ranks_[rank].scopes[{site, site_key}];
  }
  void read(WorldRank rank, RankNotes& notes);
  static void read_block(const Event& event, std::uint64_t number, SiteText& text,
                         RankNotes& notes);
  static void read_heap_block(const Event& event, const Definitions& definitions, SiteText& text,
                              RankNotes& notes);
  static std::vector<HeapByte> wanted_bytes(const RankNotes& notes, const Definitions& definitions);
  static void read_allocation(const RankTrace& trace, std::uint64_t time, SiteText& text,
                              const HeapByte& byte, RankNotes& notes);
  void read_static_coarray(const Event& event, const Definitions& definitions,
                           const std::map<WinId, WindowNotes*>& objects);
  std::vector<std::string> stack_as_read(const SiteNotes& at);
  template <class Choose>
  BufferNotes argument(const std::vector<Frame>& stack, Call call, Choose choose);

  std::string directory_;
  std::shared_ptr<SavedSymbols> saved_;
  Symbolizer symbolizer_;
  SourceLines sources_;
  std::map<WorldRank, RankNotes> ranks_;
};

}  // namespace photofinish
