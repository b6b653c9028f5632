#include "report/otf2/archive.h"

#include <algorithm>

namespace photofinish {
namespace {

OTF2_FlushType before_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp after_flush(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }
constexpr OTF2_FlushCallbacks kFlush = {before_flush, after_flush};

// Group 0 contains all ranks, group 1 stands for each rank by itself; communicator 0 is the self
// communicator.
constexpr OTF2_GroupRef kAllRanks = 0, kSelfGroup = 1, kFirstGroup = 2;
constexpr OTF2_CommRef kSelf = 0, kFirstComm = 1;

OTF2_RegionRole role_of(Action action) {
  switch (action) {
    case Action::Send:
    case Action::Receive:
    case Action::SendReceive:
    case Action::SendReceiveReplace:
    case Action::Start:
    case Action::Probe:
    case Action::MatchedProbe:
    case Action::MatchedReceive:
    case Action::Wait:
    case Action::WaitAny:
    case Action::WaitSome:
    case Action::WaitAll:
    case Action::RequestStatus:
    case Action::Cancel:
    case Action::PartitionedSend:
    case Action::PartitionedReceive:
    case Action::PartitionReady:
    case Action::PartitionArrived:
      return OTF2_REGION_ROLE_POINT2POINT;
    case Action::Barrier:
      return OTF2_REGION_ROLE_BARRIER;
    case Action::Bcast:
    case Action::Scatter:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case Action::Gather:
    case Action::Reduce:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case Action::Allgather:
    case Action::Alltoall:
    case Action::Allreduce:
    case Action::ReduceScatter:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
    case Action::Scan:
    case Action::Exscan:
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall:
    case Action::CommCreate:
    case Action::CommFree:
      return OTF2_REGION_ROLE_COLL_OTHER;
    case Action::Put:
    case Action::Get:
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
    case Action::Fence:
    case Action::Post:
    case Action::StartEpoch:
    case Action::Complete:
    case Action::WaitEpoch:
    case Action::Lock:
    case Action::LockAll:
    case Action::Unlock:
    case Action::UnlockAll:
    case Action::Flush:
    case Action::FlushAll:
    case Action::FlushLocal:
    case Action::FlushLocalAll:
    case Action::WinSync:
    case Action::WinCreate:
    case Action::WinFree:
      return OTF2_REGION_ROLE_RMA;
    case Action::FileRead:
    case Action::FileWrite:
    case Action::FileSplitBegin:
    case Action::FileSplitEnd:
      return OTF2_REGION_ROLE_FILE_IO;
    case Action::FileControl:
      return OTF2_REGION_ROLE_FILE_IO_METADATA;
    default:
      return OTF2_REGION_ROLE_FUNCTION;
  }
}

// Readers expect definitions in the order of their numbers.
template <class Map, class Number, class Write>
void in_order(const Map& map, Number number, Write write) {
  std::vector<const typename Map::value_type*> all;
  for (const auto& one : map) all.push_back(&one);
  std::sort(all.begin(), all.end(),
            [&](const auto* a, const auto* b) { return number(*a) < number(*b); });
  for (const auto* one : all) write(*one);
}

}  // namespace

Otf2Archive::~Otf2Archive() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
}

void Otf2Archive::expect(OTF2_ErrorCode code) {
  if (trouble_ == OTF2_SUCCESS && code != OTF2_SUCCESS) trouble_ = code;
}

Result<bool> Otf2Archive::open(const std::string& folder, const std::string& creator) {
  constexpr std::uint64_t kEventBytes = 1 << 20, kDefinitionBytes = 4 << 20;
  archive_ = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventBytes,
                               kDefinitionBytes, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr) return Error{"OTF2 cannot create an archive in " + folder};
  expect(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
  expect(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
  expect(OTF2_Archive_SetCreator(archive_, creator.c_str()));
  expect(OTF2_Archive_OpenEvtFiles(archive_));
  marker_ = OTF2_Archive_GetMarkerWriter(archive_);
  // Ranks that were not recorded have a location, too: a rank is an index into the list of all
  // locations.
  for (int rank = 0; rank < world_size_; ++rank) task(WorldRank(rank), TaskId(0));
  if (trouble_ != OTF2_SUCCESS || marker_ == nullptr)
    return Error{std::string("OTF2: ") + OTF2_Error_GetDescription(trouble_)};
  return true;
}

OTF2_EvtWriter* Otf2Archive::task(WorldRank rank, TaskId task) {
  Location& location = locations_[{rank.value, task.value}];
  if (location.writer == nullptr) {
    location.ref = ref_of(rank, task);
    location.writer = OTF2_Archive_GetEvtWriter(archive_, location.ref);
    if (location.writer == nullptr) expect(OTF2_ERROR_INVALID);
  }
  return location.writer;
}

OTF2_StringRef Otf2Archive::text(const std::string& words) {
  const auto [found, is_new] =
      texts_.try_emplace(words, static_cast<OTF2_StringRef>(texts_.size()));
  if (is_new) expect(OTF2_GlobalDefWriter_WriteString(out_, found->second, words.c_str()));
  return found->second;
}

OTF2_RegionRef Otf2Archive::region(Call call) {
  return call_regions_
      .try_emplace(call, static_cast<OTF2_RegionRef>(call_regions_.size() + own_regions_.size()))
      .first->second;
}
OTF2_RegionRef Otf2Archive::region(const std::string& name) {
  return own_regions_
      .try_emplace(name, static_cast<OTF2_RegionRef>(call_regions_.size() + own_regions_.size()))
      .first->second;
}

OTF2_GroupRef Otf2Archive::group(const std::vector<WorldRank>& ranks) {
  return groups_.try_emplace(ranks, static_cast<OTF2_GroupRef>(kFirstGroup + groups_.size()))
      .first->second;
}

OTF2_CommRef Otf2Archive::comm(Uid uid, const std::string& name,
                               const std::vector<WorldRank>& ranks,
                               const std::vector<WorldRank>& remote) {
  if (ranks.size() == 1 && remote.empty()) return kSelf;
  if (const auto known = comms_.find(uid); known != comms_.end()) return known->second.ref;
  const auto [first, second] =
      remote.empty() ? std::pair(group(ranks), OTF2_UNDEFINED_GROUP)
                     : std::pair(group(std::min(ranks, remote)), group(std::max(ranks, remote)));
  const auto ref = static_cast<OTF2_CommRef>(kFirstComm + comms_.size());
  comms_[uid] = {ref, name, first, second};
  return ref;
}

OTF2_RmaWinRef Otf2Archive::window(Uid uid, const std::string& name, OTF2_CommRef comm) {
  const auto [found, is_new] =
      windows_.try_emplace(uid, Window{static_cast<OTF2_RmaWinRef>(windows_.size()), name, comm});
  if (!is_new && found->second.name.empty()) found->second.name = name;
  return found->second.ref;
}

void Otf2Archive::define_mark(OTF2_MarkerRef category, const char* name) {
  expect(
      OTF2_MarkerWriter_WriteDefMarker(marker_, category, "photofinish", name, OTF2_SEVERITY_HIGH));
}

void Otf2Archive::mark(std::uint64_t time, WorldRank rank, TaskId task, OTF2_MarkerRef category,
                       const char* text) {
  expect(OTF2_MarkerWriter_WriteMarker(marker_, time, 0, category, OTF2_MARKER_SCOPE_LOCATION,
                                       ref_of(rank, task), text));
}

void Otf2Archive::write_locations(OTF2_GlobalDefWriter* out) {
  const OTF2_StringRef machine = text("machine"), node = text("node");
  expect(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, text("machine"), machine,
                                                  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  std::map<std::string, OTF2_SystemTreeNodeRef> nodes;
  for (const auto& [position, location] : locations_) {
    const auto [rank, number] = position;
    if (number == 0) {
      const auto named = hosts_.find(WorldRank(rank));
      const std::string host = named != hosts_.end() ? named->second : "?";
      const auto [at, is_new] =
          nodes.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(1 + nodes.size()));
      if (is_new)
        expect(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, at->second, text(host), node, 0));
      expect(OTF2_GlobalDefWriter_WriteLocationGroup(
          out, static_cast<OTF2_LocationGroupRef>(rank), text("MPI Rank " + std::to_string(rank)),
          OTF2_LOCATION_GROUP_TYPE_PROCESS, at->second, OTF2_UNDEFINED_LOCATION_GROUP));
    }
    const std::string name = number == 0 ? "Master thread" : "Thread " + std::to_string(number);
    expect(OTF2_GlobalDefWriter_WriteLocation(out, location.ref, text(name),
                                              OTF2_LOCATION_TYPE_CPU_THREAD, location.events,
                                              static_cast<OTF2_LocationGroupRef>(rank)));
  }
}

void Otf2Archive::write_regions(OTF2_GlobalDefWriter* out) {
  const OTF2_StringRef nothing = text("");
  struct Region {
    std::string name;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
  };
  std::map<OTF2_RegionRef, Region> regions;
  for (const auto& [call, ref] : call_regions_)
    regions[ref] = {std::string(traits(call).name), role_of(traits(call).action),
                    OTF2_PARADIGM_MPI};
  for (const auto& [name, ref] : own_regions_)
    regions[ref] = {name, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER};
  for (const auto& [ref, region] : regions) {
    const OTF2_StringRef name = text(region.name);
    expect(OTF2_GlobalDefWriter_WriteRegion(out, ref, name, name, nothing, region.role,
                                            region.paradigm, OTF2_REGION_FLAG_NONE, nothing, 0, 0));
  }
}

void Otf2Archive::write_communicators(OTF2_GlobalDefWriter* out) {
  const OTF2_StringRef nothing = text("");
  std::vector<std::uint64_t> all;
  for (int rank = 0; rank < world_size_; ++rank) all.push_back(ref_of(WorldRank(rank), TaskId(0)));
  expect(OTF2_GlobalDefWriter_WriteGroup(out, kAllRanks, nothing, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                         static_cast<std::uint32_t>(all.size()), all.data()));
  expect(OTF2_GlobalDefWriter_WriteGroup(out, kSelfGroup, nothing, OTF2_GROUP_TYPE_COMM_SELF,
                                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, nullptr));
  const auto number = [](const auto& one) { return one.second; };
  in_order(groups_, number, [&](const auto& one) {
    std::vector<std::uint64_t> members;
    for (const WorldRank rank : one.first)
      members.push_back(rank.value >= 0 ? static_cast<std::uint64_t>(rank.value)
                                        : OTF2_UNDEFINED_UINT64);
    expect(OTF2_GlobalDefWriter_WriteGroup(
        out, one.second, nothing, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
        OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()), members.data()));
  });
  expect(OTF2_GlobalDefWriter_WriteComm(out, kSelf, text("MPI_COMM_SELF"), kSelfGroup,
                                        OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  const auto reference = [](const auto& one) { return one.second.ref; };
  in_order(comms_, reference, [&](const auto& one) {
    const Comm& comm = one.second;
    if (comm.remote == OTF2_UNDEFINED_GROUP)
      expect(OTF2_GlobalDefWriter_WriteComm(out, comm.ref, text(comm.name), comm.group,
                                            OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    else
      expect(OTF2_GlobalDefWriter_WriteInterComm(out, comm.ref, text(comm.name), comm.group,
                                                 comm.remote, OTF2_UNDEFINED_COMM,
                                                 OTF2_COMM_FLAG_NONE));
  });
  in_order(windows_, reference, [&](const auto& one) {
    expect(OTF2_GlobalDefWriter_WriteRmaWin(out, one.second.ref, text(one.second.name),
                                            one.second.comm,
                                            OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
  });
}

void Otf2Archive::write_definitions(std::uint64_t begin, std::uint64_t end,
                                    std::uint64_t since_1970) {
  expect(OTF2_GlobalDefWriter_WriteClockProperties(out_, 1'000'000'000, begin,
                                                   end > begin ? end - begin : 1, since_1970));
  expect(OTF2_GlobalDefWriter_WriteParadigm(out_, OTF2_PARADIGM_MPI, text("MPI"),
                                            OTF2_PARADIGM_CLASS_PROCESS));
  if (!own_regions_.empty())
    expect(OTF2_GlobalDefWriter_WriteParadigm(out_, OTF2_PARADIGM_USER, text("User"),
                                              OTF2_PARADIGM_CLASS_PROCESS));
  write_locations(out_);
  write_regions(out_);
  write_communicators(out_);
}

Result<bool> Otf2Archive::finish(std::uint64_t begin, std::uint64_t end, std::uint64_t since_1970) {
  for (auto& [position, location] : locations_) {
    expect(OTF2_EvtWriter_GetNumberOfEvents(location.writer, &location.events));
    expect(OTF2_Archive_CloseEvtWriter(archive_, location.writer));
  }
  expect(OTF2_Archive_CloseEvtFiles(archive_));
  // Readers open the definition file of each location, even if it is empty.
  expect(OTF2_Archive_OpenDefFiles(archive_));
  for (auto& [position, location] : locations_) {
    OTF2_DefWriter* const own = OTF2_Archive_GetDefWriter(archive_, location.ref);
    expect(own != nullptr ? OTF2_Archive_CloseDefWriter(archive_, own) : OTF2_ERROR_INVALID);
  }
  expect(OTF2_Archive_CloseDefFiles(archive_));
  out_ = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (out_ == nullptr) return Error{"OTF2 cannot write the definitions"};
  write_definitions(begin, end, since_1970);
  expect(OTF2_Archive_CloseGlobalDefWriter(archive_, out_));
  expect(OTF2_Archive_CloseMarkerWriter(archive_, marker_));
  expect(OTF2_Archive_Close(archive_));
  archive_ = nullptr;
  if (trouble_ != OTF2_SUCCESS)
    return Error{std::string("OTF2: ") + OTF2_Error_GetDescription(trouble_)};
  return true;
}

}  // namespace photofinish
