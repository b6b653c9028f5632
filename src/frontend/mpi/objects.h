// MPI's handles, and what they stand for.
//
// A handle is the library's; it is used again once its object is freed. Here each becomes a record
// with an id of its own, defined in the trace when it is first seen: by the call that makes it, or
// by its first use if no call we see made it. Records of communicators, windows and types are never
// deleted (requests and events may still name them).
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

namespace photofinish::mpi {

// Handles are pointers in Open MPI and integers in MPICH.
template <class Handle>
std::uint64_t handle_key(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uint64_t>(handle);
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(handle));
}

// Programs that do not ask for MPI_THREAD_MULTIPLE never call MPI twice at a time, and pay for no
// lock.
class ObjectLock {
 public:
  static inline bool needed = false;
  void lock() {
    if (needed) mutex_.lock();
  }
  void unlock() {
    if (needed) mutex_.unlock();
  }

 private:
  std::mutex mutex_;
};

// World ranks of a group, in its order: a first rank and a step if they are regular (they usually
// are), a list otherwise.
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
  std::map<std::uint64_t, std::uint64_t>
      children;  // how many were made of this one with the same members

  CommId id() const { return definition.id; }
  // Whom a rank in a message's or collective's arguments means.
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
  std::size_t atomic_bytes = 0;  // one element of up to eight bytes; 0: something else
};

// An atomic whose result is not there yet.
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
  ObjectLock lock;  // of `fetches`
  struct Filling {
    WorldRank target;
    std::vector<Buffer> buffers;
    std::uint64_t step = 0;  // that started it
  };
  std::vector<Filling> fills;  // the same for operations without a request
  WorldRank peer(int rank) const { return rank < 0 ? kProcNull : comm->local.world(rank); }
};

// One for each outstanding request, and a program may have very many: small, in blocks, used again.
struct RequestRecord {
  // What most requests do not have.
  struct Rare {
    MPI_Comm* new_comm = nullptr;     // where the handle of a communicator is once it completes
    CommRecord* duplicate = nullptr;  // what that communicator is
    WinRecord* fetch_of =
        nullptr;             // of a one-sided operation that brings something back: its window,
    std::int64_t fetch = 0;  // and which it is
    std::vector<Buffer>
        fills;  // of a recorded or replayed rank: what will be there once it completes
    std::vector<Buffer> gives;  // the same for what it sends whenever it is started
    std::uint64_t step = 0;     // of a one-sided operation of such a rank: the step that started it
  };

  RequestId id;
  const void* variable = nullptr;  // where the program keeps the handle
  CommRecord* comm = nullptr;      // whose ranks a status speaks of
  // Others with the same handle, oldest first; what precedes the oldest is the newest.
  RequestRecord* previous = nullptr;
  RequestRecord* next = nullptr;
  MPI_Request handle{};
  bool receives = false;
  bool persistent = false;
  bool active = true;         // false: persistent, and not started (again)
  bool cancel_asked = false;  // only then does a status tell whether it was (Open MPI's files leave
                              // that bit to chance)
  bool by_variable = false;   // also in the table of shared handles

  Rare& rare() {
    if (rare_ == nullptr) rare_ = std::make_unique<Rare>();
    return *rare_;
  }
  const Rare& rare() const {
    static const Rare none;
    return rare_ != nullptr ? *rare_ : none;
  }
  bool is_rare() const { return rare_ != nullptr; }
  // As new, but for the memory that it has.
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
  // There from the start, without a guard to look at for each call.
  static Objects& get() { return *instance_; }
  // Once, when recording starts; `world` holds all processes of the run.
  void start(MPI_Group world);

  CommRecord* comm(MPI_Comm handle);
  // One that a collective call just made. `parent` may be null; `salt` tells apart calls that need
  // not be in order.
  CommRecord* new_comm(MPI_Comm handle, CommRecord* parent, std::uint64_t salt);
  // MPI_Comm_idup: all about the duplicate is known at once, but for its handle. (Ranks may
  // complete in different orders.)
  CommRecord* duplicate_comm(CommRecord* parent);
  void comm_made(MPI_Comm handle, CommRecord* record);
  void rename_comm(CommRecord* record, const char* name);
  void free_comm(MPI_Comm handle);

  GroupId group(MPI_Group handle);

  const TypeRecord* type(MPI_Datatype handle);
  TypeId row_type(std::int64_t bytes,
                  std::int64_t stride);  // so many bytes, the next of them a stride further
  // An element of a programming model without type handles; `element` as element_of() knows it.
  TypeId element_type(const char* name, const char* element, std::size_t bytes);
  void free_type(MPI_Datatype handle);

  OpId op(MPI_Op handle);
  OpId named_op(const char* name);
  void free_op(MPI_Op handle);

  WinRecord* win(MPI_Win handle);
  // `base`: what MPI_Win_create was given.
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

  // Libraries hand out one handle for all requests that were complete from the start, so a handle
  // may stand for many. The one that was last stored at `variable` is meant, if there is one,
  // otherwise the oldest.
  RequestRecord* add_request(MPI_Request handle, const void* variable);
  RequestRecord* find_request(MPI_Request handle, const void* variable);
  // Out of the table, before the call that may free the handle; given back if it did not, recycled
  // if it did.
  RequestRecord* take_request(MPI_Request handle, const void* variable);
  void put_request(MPI_Request handle, RequestRecord* record);
  void recycle_request(RequestRecord* record);

  MessageId add_message(MPI_Message handle, CommRecord* comm);
  struct Message {
    MessageId id;
    CommRecord* comm = nullptr;
  };
  Message take_message(MPI_Message handle);

  // Sessions and files: a number each, nothing more is said of them.
  std::int64_t other(std::uint64_t key);

 private:
  // Handles that are addresses have no entropy in their lowest bits, which choose the bucket.
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

  static Objects* const instance_;  // never deleted: the program's last threads may still be in it

  ObjectLock lock_;
  MPI_Group world_{};
  // The one used last is usually the one used next.
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
  Table<RequestRecord*> requests_;  // the oldest of each handle
  Table<RequestRecord*>
      shared_requests_;  // by handle and variable, where a handle stands for several
  Table<Message> messages_;
  Table<std::int64_t> others_;
  std::map<std::uint64_t, GroupId> group_by_members_;
  const TypeRecord* intern(TypeDefinition definition);
  std::map<std::uint64_t, const TypeRecord*> type_by_content_;
  std::map<std::pair<std::int64_t, std::int64_t>, TypeId> row_types_;  // by bytes and stride
  std::map<std::string, OpId> op_by_name_;
  OpId intern_op(const std::string& name);
  std::map<std::pair<std::uint64_t, std::uint64_t>, CommId> rank_sets_;  // by members and salt
  std::map<std::uint64_t, std::uint64_t>
      orphans_;  // communicators without a parent, by members and salt
  std::map<std::uint64_t, std::uint64_t> windows_of_;
  std::uint32_t comm_count_ = 0, win_count_ = 0;
  std::uint64_t request_count_ = 0, message_count_ = 0;
  std::vector<std::unique_ptr<RequestRecord[]>> request_blocks_;
  RequestRecord* free_requests_ = nullptr;  // linked by `next`
};

}  // namespace photofinish::mpi
