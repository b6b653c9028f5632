// The definitions of the ids in events. Each rank defines its own objects. Objects that several
// ranks share have a Uid, equal on all of them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/data_map.h"
#include "model/host_clock.h"
#include "model/ids.h"

namespace photofinish {

struct ModuleDefinition {
  ModuleId id;
  std::string path;
  std::string build_id;    // hexadecimal, empty if absent
  std::uint64_t base = 0;  // load bias: address in memory minus address in the file
  // Not empty: the module is this function of a script, and the addresses of frames are its lines.
  std::string script_function;
};

struct SiteFrame {
  ModuleId module;
  // As in the ELF file: the return address minus the load bias.
  std::uint64_t address = 0;
  bool operator==(const SiteFrame&) const = default;
};

// A call site: return addresses, innermost first.
struct SiteDefinition {
  SiteId id;
  std::vector<SiteFrame> frames;
};

struct GroupDefinition {
  GroupId id;
  std::vector<WorldRank> ranks;
};

struct CommDefinition {
  CommId id;
  Uid uid;
  std::string name;
  GroupId group;         // ranks of the communicator, in its order
  GroupId remote_group;  // of an intercommunicator; null otherwise
  CommId parent;
  // Neighbors of a communicator with a topology, in the order of the neighborhood collectives'
  // buffers.
  bool has_topology = false;
  std::vector<WorldRank> sources;
  std::vector<WorldRank> destinations;
};

struct TypeDefinition {
  TypeId id;
  std::string name;
  // The predefined type of all its data; empty if there are several.
  std::string element;
  DataMap map;
};

struct OpDefinition {
  OpId id;
  std::string name;  // MPI_SUM …; "user" for a user-defined one
};

// Symmetric: a symmetric heap, or the symmetric static data of a module.
enum class WinFlavour : std::uint8_t { Create, Allocate, Dynamic, Shared, Symmetric };

// A segment of a shared window: its owner, and its address in this rank.
struct WinSegment {
  WorldRank owner;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool operator==(const WinSegment&) const = default;
};

struct WinDefinition {
  WinId id;
  Uid uid;
  std::string name;
  CommId comm;
  WinFlavour flavour{};
  bool unified = false;  // MPI_WIN_MODEL
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::int64_t unit = 1;       // displacement unit of this rank
  std::string accumulate_ops;  // from MPI_Win_get_info; empty if absent
  std::string accumulate_ordering;
  std::vector<WinSegment> segments;  // of a shared window
};

// Text from the program's annotations.
struct TextDefinition {
  TextId id;
  std::string text;
};

// Not all loads and stores of this rank were checked (runtime/sampling.h). There is one, with id 1:
// first without counts, and again when the rank ends.
struct SamplingDefinition {
  SamplingId id;
  double slowdown = 0;  // the user's limit; 0: none
  std::uint64_t checked = 0,
                skipped = 0;  // Number of executions of a load, store, or loop of them.
  // Access sites in the program; those that were subsampled.
  std::uint64_t locations = 0, thinned = 0;
  std::uint64_t own_ns = 0;        // time of the tool, in the task with the most of it
  std::uint64_t recording_ns = 0;  // part of it in MPI calls
  std::uint64_t tests_ns = 0;      // part of it for tests before accesses, estimated
  std::uint64_t compared_ns = 0;   // CPU time that the estimate is about
  std::uint64_t run_ns = 0;        // CPU time of that task
  // Wall-clock time during which nothing was checked or counted.
  std::uint64_t lifted_ns = 0;
  std::uint64_t wall_ns = 0;  // total wall-clock time; 0: the rank did not end
};

// A block of the program's heap (runtime/heap_blocks.h).
struct BlockDefinition {
  BlockId id;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  SiteId site;                  // where the program allocated it
  std::uint64_t since = 0;      // in units of the recorded times
  std::uint64_t until = kEver;  // when it was freed
  static constexpr std::uint64_t kEver = ~std::uint64_t{0};
};

// Why the trace of this rank is incomplete.
enum class IncompleteReason : std::uint32_t {
  None = 0,
  Disk,         // the trace could not be written
  Memory,       // the tool ran out of memory
  Internal,     // an internal error of the tool
  Limit,        // something exceeds what a trace, or the tool, allows
  OtherRank,    // another rank stopped recording
  Unsupported,  // the tool does not support what the program does
};
inline constexpr std::uint32_t kIncompleteReasons = 7;

// A part of the run that is not in this trace, or was not analyzed, and why. Id 0 is the reason why
// recording stopped early. It is in the live file of the rank, which can always be written. The
// others are normal definitions, numbered from 1, of ranks that continued recording.
struct IncompleteDefinition {
  IncompleteId id;
  IncompleteReason reason{};
  std::string text;  // one line for the user, without the rank and without a period
};

struct TaskDefinition {
  TaskId id;
  std::int64_t os_thread = 0;
};

// The properties of a rank.
struct RankDefinition {
  WorldRank rank;
  std::int32_t world_size = 0;
  std::string host;
  std::int64_t pid = 0;
  std::string library;  // of the programming model, with its version
  std::string program;
  HostClock clock;                   // at time 0 of the events
  std::uint64_t ticks_per_unit = 1;  // unit of the recorded times
};

// All definitions of one rank.
struct Definitions {
  RankDefinition rank;
  std::unordered_map<TaskId, TaskDefinition> tasks;
  std::unordered_map<ModuleId, ModuleDefinition> modules;
  std::unordered_map<SiteId, SiteDefinition> sites;
  std::unordered_map<GroupId, GroupDefinition> groups;
  std::unordered_map<CommId, CommDefinition> comms;
  std::unordered_map<TypeId, TypeDefinition> types;
  std::unordered_map<OpId, OpDefinition> ops;
  std::unordered_map<WinId, WinDefinition> wins;
  std::unordered_map<TextId, TextDefinition> texts;
  std::unordered_map<SamplingId, SamplingDefinition> samplings;
  std::unordered_map<IncompleteId, IncompleteDefinition> incompletes;
  std::unordered_map<BlockId, BlockDefinition> blocks;

  void add(const RankDefinition& d) { rank = d; }
  void add(const TaskDefinition& d) { tasks[d.id] = d; }
  void add(const ModuleDefinition& d) { modules[d.id] = d; }
  void add(const SiteDefinition& d) { sites[d.id] = d; }
  void add(const GroupDefinition& d) { groups[d.id] = d; }
  void add(const CommDefinition& d) { comms[d.id] = d; }
  void add(const TypeDefinition& d) { types[d.id] = d; }
  void add(const OpDefinition& d) { ops[d.id] = d; }
  void add(const WinDefinition& d) { wins[d.id] = d; }
  void add(const TextDefinition& d) { texts[d.id] = d; }
  void add(const SamplingDefinition& d) { samplings[d.id] = d; }
  void add(const IncompleteDefinition& d) { incompletes[d.id] = d; }
  void add(const BlockDefinition& d) { blocks[d.id] = d; }
};

}  // namespace photofinish
