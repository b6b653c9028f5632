// What the ids in events stand for. Each rank defines its own objects; those that several ranks
// share carry a Uid that is the same on all of them.
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
  std::string build_id;    // hexadecimal, empty if it has none
  std::uint64_t base = 0;  // where it was loaded: address in memory less address in the file
};

struct SiteFrame {
  ModuleId module;
  std::uint64_t address =
      0;  // as in the ELF file: the return address less where the module was loaded
  bool operator==(const SiteFrame&) const = default;
};

// Where a call was made: return addresses, innermost first.
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
  std::string
      element;  // the predefined type that all its data consists of; empty if there are several
  DataMap map;
};

struct OpDefinition {
  OpId id;
  std::string name;  // MPI_SUM …; "user" for one of the program's own
};

enum class WinFlavour : std::uint8_t { Create, Allocate, Dynamic, Shared };

// A piece of a shared window: whose memory it is, and where this rank sees it.
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
  std::string accumulate_ops;  // as MPI_Win_get_info tells, empty if the library does not
  std::string accumulate_ordering;
  std::vector<WinSegment> segments;  // of a shared window
};

// Words of the program's own, from its annotations.
struct TextDefinition {
  TextId id;
  std::string text;
};

// Not all loads and stores of this rank were looked at (runtime/sampling.h). There is one, id 1: at
// first with no counts, and again when the rank comes to its end.
struct SamplingDefinition {
  SamplingId id;
  double slowdown = 0;  // that the user allows; 0: any
  std::uint64_t checked = 0,
                skipped = 0;  // times that a load or store, or a loop of them, was come to
  std::uint64_t locations = 0, thinned = 0;  // in the program; those of which some were skipped
  std::uint64_t own_ns = 0;                  // what the tool took, of the task that it took most of
  std::uint64_t recording_ns = 0;            // of that, for MPI calls
  std::uint64_t run_ns = 0;                  // what that task had of the processor
  std::uint64_t lifted_ns =
      0;  // of the time of day, in which nothing was looked at and nothing counted
  std::uint64_t wall_ns = 0;  // all of it; 0: the rank did not come to its end
};

// Why the tool did not see all that this rank did.
enum class IncompleteReason : std::uint32_t {
  None = 0,
  Disk,         // the trace could not be written
  Memory,       // the tool had no memory left
  Internal,     // an error of the tool's own
  Limit,        // something was larger than a trace, or a limit of the tool, allows
  OtherRank,    // another rank stopped, so this one did
  Unsupported,  // the program does something that the tool cannot follow
};
inline constexpr std::uint32_t kIncompleteReasons = 7;

// A part of the run that is not in this trace, or was not analyzed, and why. Id 0 is the reason why
// recording stopped early: the rank keeps it in its live file, where nothing can fail. The others
// are definitions like any other, counted from 1, of ranks that went on recording.
struct IncompleteDefinition {
  IncompleteId id;
  IncompleteReason reason{};
  std::string text;  // one line for the user, without the rank and without a period
};

struct TaskDefinition {
  TaskId id;
  std::int64_t os_thread = 0;
};

// A rank's own words about itself.
struct RankDefinition {
  WorldRank rank;
  std::int32_t world_size = 0;
  std::string host;
  std::int64_t pid = 0;
  std::string mpi;  // MPI_Get_library_version, first line
  std::string program;
  HostClock clock;                   // at time 0 of the events
  std::uint64_t ticks_per_unit = 1;  // of the times on record
};

// All that one rank has defined.
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
};

}  // namespace photofinish
