// An OTF2 archive that is being written: event files while the ranks are read, the definitions that
// they turned out to need at the end.
//
// Names follow what measurement systems write, so that viewers know their way: a location group for
// each rank, its first task is its master thread; a communicator is a group of ranks, which are
// places in the list of all ranks.
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
  // All that was defined, and the end. `begin`, `end`: of the whole run, in nanoseconds;
  // `since_1970`: of `begin`.
  Result<bool> finish(std::uint64_t begin, std::uint64_t end, std::uint64_t since_1970);

  // Where a task's events go.
  OTF2_EvtWriter* task(WorldRank rank, TaskId task);
  void host(WorldRank rank, const std::string& name) { hosts_[rank] = name; }

  OTF2_RegionRef region(Call call);
  OTF2_RegionRef region(const std::string& name);  // of the program's own
  OTF2_GroupRef group(const std::vector<WorldRank>& ranks);
  OTF2_CommRef comm(Uid uid, const std::string& name, const std::vector<WorldRank>& ranks,
                    const std::vector<WorldRank>& remote);
  OTF2_RmaWinRef window(Uid uid, const std::string& name, OTF2_CommRef comm);

  void mark(std::uint64_t time, WorldRank rank, TaskId task, OTF2_MarkerRef category,
            const char* text);
  void define_mark(OTF2_MarkerRef category, const char* name);

  // OTF2's calls return codes; the first that is none of success ends the export.
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
  // What has a number is written in the order of its numbers.
  std::map<Call, OTF2_RegionRef> call_regions_;
  std::map<std::string, OTF2_RegionRef> own_regions_;
  std::map<std::vector<WorldRank>, OTF2_GroupRef> groups_;
  std::unordered_map<Uid, Comm> comms_;
  std::unordered_map<Uid, Window> windows_;
};

}  // namespace photofinish
