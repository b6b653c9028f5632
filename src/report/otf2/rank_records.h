// Writes the calls of one rank as OTF2 records: enter, leave, and between them what the call did.
//
//   messages      MpiSend, MpiRecv; MpiIsend … MpiIsendComplete and MpiIrecvRequest … MpiIrecv,
//                 with a number for each started request
//   collectives   MpiCollectiveBegin and End; NonBlockingCollectiveRequest … Complete
//   one-sided     RmaPut, RmaGet, RmaAtomic, with one number for all operations to one target that
//                 one call completes; RmaOpCompleteRemote at that flush, unlock, fence or complete;
//                 locks; RmaGroupSync for post, start, complete and wait
//
// Limits: no records for loads and stores, partitions of messages and neighborhood collectives.
// OTF2 has no records for the last two; only their calls appear.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/definitions.h"
#include "model/event.h"
#include "report/otf2/archive.h"
#include "trace/common_time.h"

namespace photofinish {

class Otf2RankRecords {
 public:
  Otf2RankRecords(WorldRank rank, const Definitions& definitions, const RankTime& time,
                  Otf2Archive& archive)
      : rank_(rank), definitions_(definitions), time_(time), archive_(archive) {}

  std::uint64_t add(const Event& event);  // returns the enter time
  std::uint64_t end();                    // leaves open regions; returns the latest time

 private:
  struct Comm {
    OTF2_CommRef ref = OTF2_UNDEFINED_COMM;
    std::unordered_map<WorldRank, std::uint32_t> rank_of;  // ranks that this rank communicates
                                                           // with
  };
  struct Window {
    OTF2_RmaWinRef ref = OTF2_UNDEFINED_RMA_WIN;
    const Comm* comm = nullptr;
    std::map<std::uint32_t, std::uint64_t> under_way;  // number of the pending operations, by
                                                       // target
    OTF2_GroupRef posted = OTF2_UNDEFINED_GROUP, started = OTF2_UNDEFINED_GROUP;
    std::vector<std::uint32_t> members;
  };
  // The operation of a request. A persistent request is initialized once and started repeatedly.
  struct Request {
    enum class Kind { Other, Send, Receive, Both, Collective, OneSided } kind = Kind::Other;
    std::uint64_t number = 0;  // of the pending operation; 0: none
    const Comm* comm = nullptr;
    WorldRank to = kProcNull;
    std::int64_t send_tag = 0;
    std::uint64_t sent = 0, received = 0;
    std::optional<OTF2_CollectiveOp> collective;
    std::uint32_t root = OTF2_UNDEFINED_UINT32;
    OTF2_RmaWinRef win = OTF2_UNDEFINED_RMA_WIN;
    bool persistent = false;
  };
  struct Task {
    OTF2_EvtWriter* writer = nullptr;
    std::uint64_t last = 0;
    std::vector<OTF2_RegionRef> open;  // regions of the program's annotations
  };

  Task& task(TaskId id);
  const Comm* comm(CommId id);
  Window* window(const Event& event, Field field = Field::win);
  std::optional<std::uint32_t> rank_in(const Comm* comm, WorldRank world) const;
  std::uint64_t bytes(const Event& event, bool written) const;
  std::optional<std::uint32_t> root_of(const Event& event, const Comm* comm) const;

  void own_region(const Event& event, Task& task);
  void begin_call(const Event& event, Task& task, std::uint64_t time);
  void end_call(const Event& event, Task& task, std::uint64_t time);
  Request request_of(const Event& event, Action action);
  void start(Request& request, Task& task, std::uint64_t time);
  void complete(const Event& event, Task& task, std::uint64_t time);
  void send(const Event& event, Task& task, std::uint64_t time);
  void receive(const Event& event, const Comm* comm, Task& task, std::uint64_t time);
  void one_sided(const Event& event, Window& window, Task& task, std::uint64_t time,
                 Request* request);
  void synchronize(const Event& event, Window& window, Task& task, std::uint64_t time);
  void all_over(Window& window, Task& task, std::uint64_t time, std::optional<std::uint32_t> target,
                bool remotely);

  const WorldRank rank_;
  const Definitions& definitions_;
  const RankTime time_;
  Otf2Archive& archive_;
  std::uint64_t numbers_ = 0, latest_ = 0;
  std::unordered_map<TaskId, Task> tasks_;
  std::unordered_map<CommId, Comm> comms_;
  std::unordered_map<WinId, Window> windows_;
  std::unordered_map<RequestId, Request> requests_;
  std::unordered_map<MessageId, CommId> probed_;
};

}  // namespace photofinish
