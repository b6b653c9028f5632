// Writes an OTF2 archive: event files while the ranks are read, then the definitions that the
// events need.
//
// Names follow common measurement systems, so that viewers recognize them. Each rank is a location
// group, and its first task is the master thread. A communicator is a group of ranks, given as
// indices into the list of all ranks.
#pragma once

#include <otf2/otf2.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "model/call.h"
#include "model/ids.h"

namespace photofinish {

class Otf2Archive {
 public:
  explicit Otf2Archive(int world_size) : world_size_(world_size) {}
  ~Otf2Archive();

  Result<bool> open(const std::string& folder, const std::string& creator);
  // Writes all definitions and closes the archive. `begin`, `end`: of the whole run, in
  // nanoseconds; `since_1970`: the wall-clock time of `begin`.
  Result<bool> finish(std::uint64_t begin, std::uint64_t end, std::uint64_t since_1970);

  // The event writer of a task.
  OTF2_EvtWriter* task(WorldRank rank, TaskId task);
  void host(WorldRank rank, const std::string& name) { hosts_[rank] = name; }

  OTF2_RegionRef region(Call call);
  OTF2_RegionRef region(const std::string& name);  // a region of the program's annotations
  OTF2_GroupRef group(const std::vector<WorldRank>& ranks);
  OTF2_CommRef comm(Uid uid, const std::string& name, const std::vector<WorldRank>& ranks,
                    const std::vector<WorldRank>& remote);
  OTF2_RmaWinRef window(Uid uid, const std::string& name, OTF2_CommRef comm);

  void mark(std::uint64_t time, WorldRank rank, TaskId task, OTF2_MarkerRef category,
            const char* text);
  void define_mark(OTF2_MarkerRef category, const char* name);

  // Records the first code other than success; it ends the export.
  void expect(OTF2_ErrorCode code);

 private:
  struct Location {
    OTF2_LocationRef ref = 0;
    OTF2_EvtWriter* writer = nullptr;
    std::uint64_t events = 0;
  };
  struct Comm {
    OTF2_CommRef ref = OTF2_UNDEFINED_COMM;
    std::string name;
    OTF2_GroupRef group = OTF2_UNDEFINED_GROUP, remote = OTF2_UNDEFINED_GROUP;
  };
  struct Window {
    OTF2_RmaWinRef ref;
    std::string name;
    OTF2_CommRef comm;
  };
  static OTF2_LocationRef ref_of(WorldRank rank, TaskId task) {
    return (static_cast<std::uint64_t>(task.value) << 32) | static_cast<std::uint32_t>(rank.value);
  }
  OTF2_StringRef text(const std::string& words);
  void write_definitions(std::uint64_t begin, std::uint64_t end, std::uint64_t since_1970);
  void write_locations(OTF2_GlobalDefWriter* out);
  void write_regions(OTF2_GlobalDefWriter* out);
  void write_communicators(OTF2_GlobalDefWriter* out);

  const int world_size_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* out_ = nullptr;
  OTF2_MarkerWriter* marker_ = nullptr;
  OTF2_ErrorCode trouble_ = OTF2_SUCCESS;
  std::map<std::pair<std::int32_t, std::uint32_t>, Location> locations_;
  std::map<WorldRank, std::string> hosts_;
  std::unordered_map<std::string, OTF2_StringRef> texts_;
  // Numbered definitions, written in the order of their numbers.
  std::map<Call, OTF2_RegionRef> call_regions_;
  std::map<std::string, OTF2_RegionRef> own_regions_;
  std::map<std::vector<WorldRank>, OTF2_GroupRef> groups_;
  std::unordered_map<Uid, Comm> comms_;
  std::unordered_map<Uid, Window> windows_;
};

}  // namespace photofinish
