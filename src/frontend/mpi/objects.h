// Maps MPI handles to records of their objects.
//
// The library reuses a handle once its object is freed. Each object therefore gets a record with an
// id of its own. The id is defined in the trace by the call that creates the object, or by its
// first use if no intercepted call created it. Records of communicators, windows and types are
// never deleted, since requests and events may still refer to them.
#pragma once

#include <tsl/robin_map.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/mpi/real.h"
#include "model/definitions.h"
#include "model/event.h"
#include "model/ids.h"
#include "runtime/object_lock.h"

namespace photofinish::mpi {

// Handles are pointers in Open MPI and integers in MPICH.
template <class Handle>
std::uint64_t handle_key(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uint64_t>(handle);
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(handle));
}

// World ranks of a group, in group order: a first rank and a step if they are evenly spaced, as
// they usually are, otherwise a list.
class RankMap {
 public:
  RankMap() = default;
  explicit RankMap(const std::vector<WorldRank>& ranks);
  std::int32_t size() const { return size_; }
  WorldRank world(int rank) const {
    if (rank < 0 || rank >= size_) return kExternalRank;
    return table_.empty() ? WorldRank(first_ + rank * step_)
                          : table_[static_cast<std::size_t>(rank)];
  }

 private:
  std::int32_t size_ = 0, first_ = 0, step_ = 1;
  std::vector<WorldRank> table_;
};

struct CommRecord {
  CommDefinition definition;
  int rank = 0;
  RankMap local, remote;
  bool inter = false;
  std::uint64_t members = 0;  // a hash of all its ranks
  // Number of communicators made from this one so far, by a hash of members and salt.
  std::map<std::uint64_t, std::uint64_t> children;

  CommId id() const { return definition.id; }
  // The group that rank arguments of messages and collectives refer to.
  const RankMap& peers() const { return inter ? remote : local; }
  WorldRank peer(int rank) const {
    if (rank >= 0) return peers().world(rank);
    if (rank == MPI_ANY_SOURCE) return kAnySource;
    if (rank == MPI_ROOT) return kRootHere;
    return kProcNull;
  }
};

struct TypeRecord {
  TypeId id;
  std::int64_t size = 0;
  std::int64_t extent = 0;
  // Size of the type if it is a single predefined element of up to eight bytes; otherwise 0.
  std::size_t atomic_bytes = 0;
};

// One element of a one-sided atomic whose result has not arrived yet.
struct PendingFetch {
  std::int64_t number = 0;
  WorldRank target;
  const void* result = nullptr;
  std::size_t bytes = 0;
};

struct WinRecord {
  MPI_Win handle{};
  WinDefinition definition;
  CommRecord* comm = nullptr;
  std::vector<PendingFetch> fetches;
  ObjectLock lock;  // protects `fetches`
  // A recorded or replayed rank: the buffers that a pending operation without a request will fill.
  struct Filling {
    WorldRank target;
    std::vector<Buffer> buffers;
    std::uint64_t step = 0;  // the step that started the operation
  };
  std::vector<Filling> fills;
  WorldRank peer(int rank) const { return rank < 0 ? kProcNull : comm->local.world(rank); }
};

// One for each outstanding request. A program may have very many, so records are small, allocated
// in blocks, and reused.
struct RequestRecord {
  // Data that most requests do not have.
  struct Rare {
    // MPI_Comm_idup: where the handle is once the request completes, and the new communicator.
    MPI_Comm* new_comm = nullptr;
    CommRecord* duplicate = nullptr;
    // A one-sided atomic that returns a result: its window, and its number (PendingFetch).
    WinRecord* fetch_of = nullptr;
    std::int64_t fetch = 0;
    // A recorded or replayed rank: the buffers that are filled once the request completes; the
    // buffers that each start of a persistent request sends; for a one-sided operation, the step
    // that started it.
    std::vector<Buffer> fills;
    std::vector<Buffer> sends;
    std::uint64_t step = 0;
  };

  RequestId id;
  const void* variable = nullptr;  // where the program stores the handle
  CommRecord* comm = nullptr;      // the communicator of the source rank in a status
  // The requests with the same handle, oldest first. `previous` of the oldest is the newest.
  RequestRecord* previous = nullptr;
  RequestRecord* next = nullptr;
  MPI_Request handle{};
  bool receives = false;
  bool persistent = false;
  bool active = true;  // false: persistent, and not started since it last completed
  // MPI_Cancel was called. Only then the "cancelled" bit of a status is valid: Open MPI's file
  // operations leave it uninitialized.
  bool cancel_asked = false;
  bool by_variable = false;  // is in shared_requests_

  Rare& rare() {
    if (rare_ == nullptr) rare_ = std::make_unique<Rare>();
    return *rare_;
  }
  const Rare& rare() const {
    static const Rare none;
    return rare_ != nullptr ? *rare_ : none;
  }
  bool is_rare() const { return rare_ != nullptr; }
  // Reinitializes the record, but keeps the memory of `rare_`.
  void reset() {
    std::unique_ptr<Rare> rare = std::move(rare_);
    *this = {};
    if (rare == nullptr) return;
    *rare = {};
    rare_ = std::move(rare);
  }

 private:
  std::unique_ptr<Rare> rare_;
};
static_assert(sizeof(RequestRecord) <= 64, "one for each outstanding request");

class Objects {
 public:
  // Created when the library is loaded, so that no call has to test a guard variable.
  static Objects& get() { return *instance_; }
  // Called once, when recording starts. `world` contains all processes of the run.
  void start(MPI_Group world);

  CommRecord* comm(MPI_Comm handle);
  // A communicator that a collective call has just created. `parent` may be null. `salt`
  // distinguishes calls that ranks may make in different orders.
  CommRecord* new_comm(MPI_Comm handle, CommRecord* parent, std::uint64_t salt);
  // MPI_Comm_idup: creates the record at once, because ranks may complete several of them in
  // different orders. Its handle follows with comm_made().
  CommRecord* duplicate_comm(CommRecord* parent);
  void comm_made(MPI_Comm handle, CommRecord* record);
  void rename_comm(CommRecord* record, const char* name);
  void free_comm(MPI_Comm handle);

  GroupId group(MPI_Group handle);

  const TypeRecord* type(MPI_Datatype handle);
  // A contiguous type of `bytes` bytes with extent `stride`.
  TypeId row_type(std::int64_t bytes, std::int64_t stride);
  // An element of a programming model without type handles; `element` as element_of() knows it.
  TypeId element_type(const char* name, const char* element, std::size_t bytes);
  void free_type(MPI_Datatype handle);

  OpId op(MPI_Op handle);
  OpId named_op(const char* name);
  void free_op(MPI_Op handle);

  WinRecord* win(MPI_Win handle);
  // `base`: the address that the program passed to MPI_Win_create or got from MPI_Win_allocate.
  WinRecord* new_win(MPI_Win handle, CommRecord* comm, const void* base);
  void rename_win(WinRecord* record, const char* name);
  void change_win_info(WinRecord* record, MPI_Info given);
  void free_win(MPI_Win handle);

  // --- of a programming model without handles for them
  // A set of ranks; `salt` tells apart sets with the same members.
  CommId rank_set(const std::vector<WorldRank>& ranks, std::uint64_t salt, const std::string& name);
  // Memory that other ranks reach. Gives it an id, and a uid that follows from its name.
  void add_region(WinDefinition& region);
  void change_region(const WinDefinition& region);

  // Libraries return the same handle for all requests that are complete from the start, so that one
  // handle may denote many requests. These functions choose the one that was last stored at
  // `variable`, if there is one, otherwise the oldest.
  RequestRecord* add_request(MPI_Request handle, const void* variable);
  RequestRecord* find_request(MPI_Request handle, const void* variable);
  // Removes the request from the table, before a call that may free the handle. After the call, it
  // is put back if the handle was not freed, otherwise recycled.
  RequestRecord* take_request(MPI_Request handle, const void* variable);
  void put_request(MPI_Request handle, RequestRecord* record);
  void recycle_request(RequestRecord* record);

  MessageId add_message(MPI_Message handle, CommRecord* comm);
  struct Message {
    MessageId id;
    CommRecord* comm = nullptr;
  };
  Message take_message(MPI_Message handle);

  // Sessions and files: only a number for each.
  std::int64_t other(std::uint64_t key);

 private:
  // Handles that are addresses have no entropy in their lowest bits, which select the bucket.
  struct Scatter {
    std::size_t operator()(std::uint64_t key) const { return (key * 0x9e3779b97f4a7c15ull) >> 16; }
  };
  template <class Record>
  using Table = tsl::robin_map<std::uint64_t, Record, Scatter>;

  std::vector<WorldRank> world_ranks(MPI_Group group);
  std::vector<WorldRank> ask_world_ranks(MPI_Group group);
  GroupId intern_group(const std::vector<WorldRank>& ranks);
  CommRecord* describe_comm(MPI_Comm handle, CommRecord* parent, std::uint64_t salt);
  WinRecord* describe_win(MPI_Win handle, CommRecord* comm, const void* base);
  static void ask_win(MPI_Win handle, WinRecord& record);
  RequestRecord* look_up(RequestRecord* oldest, MPI_Request handle, const void* variable);
  void append(MPI_Request handle, RequestRecord* record);
  void index_by_variable(MPI_Request handle, RequestRecord* record);
  static void read_win_info(MPI_Win handle, WinDefinition& definition);

  // Never deleted: other threads may use it until the process ends.
  static Objects* const instance_;

  ObjectLock lock_;
  MPI_Group world_{};
  // Caches: the handle used last is usually the one used next.
  struct {
    std::uint64_t key;
    CommRecord* record;
  } last_comm_{0, nullptr};
  struct {
    std::uint64_t key;
    const TypeRecord* record;
  } last_type_{0, nullptr};
  struct {
    std::uint64_t key;
    WinRecord* record;
  } last_win_{0, nullptr};
  Table<CommRecord*> comms_;
  Table<const TypeRecord*> types_;
  Table<OpId> ops_;
  Table<WinRecord*> wins_;
  Table<RequestRecord*> requests_;  // the oldest request of each handle
  // By a hash of handle and variable; only handles that denote several requests.
  Table<RequestRecord*> shared_requests_;
  Table<Message> messages_;
  Table<std::int64_t> others_;
  std::map<std::uint64_t, GroupId> group_by_members_;
  const TypeRecord* intern(TypeDefinition definition);
  std::map<std::uint64_t, const TypeRecord*> type_by_content_;
  std::map<std::pair<std::int64_t, std::int64_t>, TypeId> row_types_;  // by bytes and stride
  std::map<std::string, OpId> op_by_name_;
  OpId intern_op(const std::string& name);
  std::map<std::pair<std::uint64_t, std::uint64_t>, CommId> rank_sets_;  // by members and salt
  // Number of communicators without a common parent, by a hash of members and salt.
  std::map<std::uint64_t, std::uint64_t> orphans_;
  std::map<std::uint64_t, std::uint64_t> windows_of_;  // number of windows by communicator uid
  std::uint32_t comm_count_ = 0, win_count_ = 0;
  std::uint64_t request_count_ = 0, message_count_ = 0;
  std::vector<std::unique_ptr<RequestRecord[]>> request_blocks_;
  RequestRecord* free_requests_ = nullptr;  // linked by `next`
};

}  // namespace photofinish::mpi
