// Roles: the meaning of an argument of an MPI call. The table (frontend/mpi/table/calls.def)
// assigns a role to each argument of each call. A role has three functions:
//
// - pass runs before the call, and may replace the argument.
// - before reads an input argument. It runs before a call that may block or overwrite the argument,
//   otherwise after it, so that it does not delay the message.
// - after reads an output argument, if the call succeeded.
#pragma once

#include "frontend/mpi/context.h"
#include "frontend/mpi/status.h"
#include "frontend/mpi/tasks.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace photofinish::mpi::roles {

struct Role {
  static constexpr bool kPasses = false;  // whether it has a pass of its own
  template <class T>
  static T pass(Context&, T argument) {
    return argument;
  }
  template <class T>
  static void before(Context&, T) {}
  template <class T>
  static void after(Context&, T) {}
};

struct Skip : Role {};

// Results that only a journal needs (frontend/mpi/answers.h).
struct PlainStatus : Role {};
struct IntOut : Role {};
struct FileOut : Role {};

// --- data

struct SendBuf : Role {
  static void before(Context& c, const void* address) { c.send = {.address = address}; }
};
struct SendCount : Role {
  static void before(Context& c, MPI_Count count) { c.send.count = count; }
};
struct SendType : Role {
  static void before(Context& c, MPI_Datatype type) { c.send.type = type; }
};
struct RecvBuf : Role {
  static void before(Context& c, const void* address) { c.recv = {.address = address}; }
};
struct RecvCount : Role {
  static void before(Context& c, MPI_Count count) { c.recv.count = count; }
};
struct RecvType : Role {
  static void before(Context& c, MPI_Datatype type) { c.recv.type = type; }
};
struct BothCount : Role {
  static void before(Context& c, MPI_Count count) { c.send.count = c.recv.count = count; }
};
struct BothType : Role {
  static void before(Context& c, MPI_Datatype type) { c.send.type = c.recv.type = type; }
};
struct OneElement : Role {
  static void before(Context& c, MPI_Datatype type) {
    c.send.count = c.recv.count = c.target.count = 1;
    c.send.type = c.recv.type = c.target.type = type;
  }
};
struct CompareBuf : Role {
  static void before(Context& c, const void* address) { c.compare = address; }
};
template <class T>
IntegerArray integers(const T* data) {
  return {data, sizeof(T) == 8};
}
struct SendCounts : Role {
  template <class T>
  static void before(Context& c, const T* counts) {
    c.send.counts = integers(counts);
  }
};
struct SendDispls : Role {
  template <class T>
  static void before(Context& c, const T* displacements) {
    c.send.displacements = integers(displacements);
  }
};
struct SendByteDispls : Role {
  template <class T>
  static void before(Context& c, const T* displacements) {
    c.send.displacements = integers(displacements);
    c.send.in_bytes = true;
  }
};
struct SendTypes : Role {
  static void before(Context& c, const MPI_Datatype* types) { c.send.types = types; }
};
struct RecvCounts : Role {
  template <class T>
  static void before(Context& c, const T* counts) {
    c.recv.counts = integers(counts);
  }
};
struct RecvDispls : Role {
  template <class T>
  static void before(Context& c, const T* displacements) {
    c.recv.displacements = integers(displacements);
  }
};
struct RecvByteDispls : Role {
  template <class T>
  static void before(Context& c, const T* displacements) {
    c.recv.displacements = integers(displacements);
    c.recv.in_bytes = true;
  }
};
struct RecvTypes : Role {
  static void before(Context& c, const MPI_Datatype* types) { c.recv.types = types; }
};
struct TargetCount : Role {
  static void before(Context& c, MPI_Count count) { c.target.count = count; }
};
struct TargetType : Role {
  static void before(Context& c, MPI_Datatype type) { c.target.type = type; }
};
struct Disp : Role {
  static void before(Context& c, MPI_Aint displacement) {
    c.target.displacement = static_cast<std::uint64_t>(displacement);
  }
};
struct PackBuf : Role {
  static void before(Context& c, const void* address) {
    c.pack_buffer = const_cast<void*>(address);
  }
};
struct Position : Role {
  template <class T>
  static void before(Context& c, T* position) {
    c.position = *position;
    c.position_variable = position;
    c.position_is_wide = sizeof(T) == 8;
  }
};
struct Address : Role {
  static void before(Context& c, const void* address) {
    c.event.fields.set(Field::address,
                       static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(address)));
  }
};
struct AddressOut : Role {
  static void after(Context& c, void* variable) {
    Address::before(c, *static_cast<void**>(variable));
  }
};
struct Bytes : Role {
  static void before(Context& c, MPI_Count bytes) { c.event.fields.set(Field::size, bytes); }
};
struct BytesOut : Role {
  template <class T>
  static void after(Context& c, const T* bytes) {
    c.event.fields.set(Field::size, *bytes);
  }
};

// --- ranks, communicators, windows

struct Dest : Role {
  static void before(Context& c, int rank) { c.to = rank; }
};
struct Source : Role {
  static void before(Context& c, int rank) { c.from = rank; }
};
struct SendTag : Role {
  static void before(Context& c, int tag) { c.event.fields.set(Field::send_tag, tag); }
};
struct RecvTag : Role {
  static void before(Context& c, int tag) {
    c.event.fields.set(Field::recv_tag, tag == MPI_ANY_TAG ? kAnyTag : tag);
  }
};
struct Root : Role {
  static void before(Context& c, int rank) { c.root = rank; }
};
struct Target : Role {
  static void before(Context& c, int rank) { c.target_rank = rank; }
};
struct Comm : Role {
  static void before(Context& c, MPI_Comm comm) {
    c.comm = Objects::get().comm(comm);
    c.comm_handle = comm;
    c.event.fields.set(Field::comm, c.comm->id());
  }
};
struct Win : Role {
  static void before(Context& c, MPI_Win win) {
    c.win = Objects::get().win(win);
    c.event.fields.set(Field::win, c.win->definition.id);
  }
};
struct Group : Role {
  static void before(Context& c, MPI_Group group) {
    c.event.fields.set(Field::group, Objects::get().group(group));
  }
};
struct Op : Role {
  static void before(Context& c, MPI_Op op) {
    c.op = op;
    c.event.fields.set(Field::op, Objects::get().op(op));
  }
};
struct File : Role {
  static void before(Context& c, MPI_File file) {
    c.event.fields.set(Field::file, Objects::get().other(handle_key(file)));
  }
};

// --- plain numbers

struct Code : Role {
  static void before(Context& c, int code) { c.event.fields.set(Field::code, code); }
};
struct Color : Role {
  static void before(Context& c, int color) { c.event.fields.set(Field::color, color); }
};
struct Key : Role {
  static void before(Context& c, int key) { c.event.fields.set(Field::key, key); }
};
// A tag that distinguishes overlapping calls. It is part of the uid of the new communicator, which
// must be the same on all ranks.
struct MatchTag : Role {
  static void before(Context& c, int tag) {
    c.event.fields.set(Field::key, tag);
    c.salt = static_cast<std::uint64_t>(tag) + 1;
  }
};
struct StringTag : Role {
  static void before(Context& c, const char* tag) { c.salt = XXH3_64bits(tag, std::strlen(tag)); }
};
struct Flag : Role {
  static void before(Context& c, int flag) { c.event.fields.set(Field::flag, flag); }
};
struct Assertion : Role {
  static void before(Context& c, int given) {
    std::int64_t bits = 0;
    if (given & MPI_MODE_NOCHECK) bits |= kNoCheck;
    if (given & MPI_MODE_NOSTORE) bits |= kNoStore;
    if (given & MPI_MODE_NOPUT) bits |= kNoPut;
    if (given & MPI_MODE_NOPRECEDE) bits |= kNoPrecede;
    if (given & MPI_MODE_NOSUCCEED) bits |= kNoSucceed;
    c.event.fields.set(Field::assertion, bits);
  }
};
struct LockKind : Role {
  static void before(Context& c, int kind) {
    c.event.fields.set(Field::lock, kind == MPI_LOCK_EXCLUSIVE ? kExclusiveLock : kSharedLock);
  }
};
struct Partitions : Role {
  static void before(Context& c, int count) { c.event.fields.set(Field::partitions, count); }
};
struct FirstPartition : Role {
  static void before(Context& c, int partition) {
    c.event.fields.set(Field::first_partition, partition);
  }
};
struct LastPartition : Role {
  static void before(Context& c, int partition) {
    c.event.fields.set(Field::last_partition, partition);
  }
};
using PartitionCount = Partitions;
struct PartitionList : Role {
  static void before(Context& c, const int* list) {
    c.event.numbers.assign(list, list + c.event.fields[Field::partitions]);
  }
};
struct ThreadLevelOut : Role {
  static void after(Context& c, const int* level) {
    c.event.fields.set(Field::thread_level, *level);
  }
};

// --- requests, statuses, messages

struct NewRequest : Role {
  static void after(Context& c, MPI_Request* request) {
    if (*request == MPI_REQUEST_NULL) return;
    RequestRecord* record = Objects::get().add_request(*request, request);
    const CallTraits& call = traits(c.call);
    record->comm = c.comm;
    record->persistent = call.when == When::Prepares;
    record->active = !record->persistent;
    record->receives = call.action == Action::Receive || call.action == Action::MatchedReceive ||
                       call.action == Action::SendReceive ||
                       call.action == Action::SendReceiveReplace ||
                       call.action == Action::PartitionedReceive;
    c.new_request = record;
    if (c.duplicate != nullptr) {
      record->rare().new_comm = c.new_comm_later;
      record->rare().duplicate = c.duplicate;
    }
    c.event.fields.set(Field::request, record->id);
    if (call.action == Action::GeneralRequest)
      c.event.fields.set(Field::key, static_cast<std::int64_t>(general_request_key(*request)));
  }
};
struct OneRequest : Role {
  static constexpr bool kPasses = true;
  static MPI_Request* pass(Context& c, MPI_Request* request) {
    c.requests = request;
    c.request_count = 1;
    return request;
  }
};
struct RequestCount : Role {
  static constexpr bool kPasses = true;
  static int pass(Context& c, int count) { return c.request_count = count; }
};
struct Requests : Role {
  static constexpr bool kPasses = true;
  static MPI_Request* pass(Context& c, MPI_Request* requests) { return c.requests = requests; }
};
struct ActiveRequest : Role {
  static void before(Context& c, MPI_Request request) {
    const RequestRecord* record = Objects::get().find_request(request, nullptr);
    if (record == nullptr) return;
    c.event.fields.set(Field::request, record->id);
    c.asked_request = record;
    if (c.comm == nullptr) c.comm = record->comm;
  }
};
struct StatusOut : Role {
  static constexpr bool kPasses = true;
  static MPI_Status* pass(Context& c, MPI_Status* status) {
    if (status == MPI_STATUS_IGNORE) {
      if (c.scratch.statuses.empty()) c.scratch.statuses.resize(1);
      status = c.scratch.statuses.data();
    }
    return c.status = status;
  }
};
struct StatusesOut : Role {
  static constexpr bool kPasses = true;
  static MPI_Status* pass(Context& c, MPI_Status* statuses) {
    if (statuses == MPI_STATUSES_IGNORE) {
      const auto count = static_cast<std::size_t>(c.request_count > 0 ? c.request_count : 1);
      if (c.scratch.statuses.size() < count) c.scratch.statuses.resize(count);
      statuses = c.scratch.statuses.data();
    }
    return c.status = statuses;
  }
};
struct FlagOut : Role {
  static constexpr bool kPasses = true;
  static int* pass(Context& c, int* flag) { return c.flag = flag; }
  static void after(Context& c, const int* flag) { c.event.fields.set(Field::flag, *flag != 0); }
};
struct IndexOut : Role {
  static constexpr bool kPasses = true;
  static int* pass(Context& c, int* index) { return c.index = index; }
};
struct OutCount : Role {
  static constexpr bool kPasses = true;
  static int* pass(Context& c, int* count) { return c.out_count = count; }
};
struct OutIndices : Role {
  static constexpr bool kPasses = true;
  static int* pass(Context& c, int* indices) { return c.out_indices = indices; }
};
struct NewMessage : Role {
  static void after(Context& c, MPI_Message* message) {
    if (c.flag != nullptr && *c.flag == 0) return;
    if (*message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC) return;
    c.event.fields.set(Field::message, Objects::get().add_message(*message, c.comm));
  }
};
struct TakeMessage : Role {
  static constexpr bool kPasses = true;
  static MPI_Message* pass(Context& c, MPI_Message* message) {
    if (*message == MPI_MESSAGE_NO_PROC) c.from = MPI_PROC_NULL;
    const Objects::Message taken = Objects::get().take_message(*message);
    c.comm = taken.comm;
    c.event.fields.set(Field::message, taken.id);
    if (taken.comm != nullptr) c.event.fields.set(Field::comm, taken.comm->id());
    return message;
  }
};

// --- handles that a call creates or frees

struct NewComm : Role {
  static void after(Context& c, MPI_Comm* comm) {
    c.event.fields.set(Field::new_comm, Objects::get().new_comm(*comm, c.comm, c.salt)->id());
  }
};
struct NewCommLater : Role {
  static void after(Context& c, MPI_Comm* comm) {
    c.new_comm_later = comm;
    c.duplicate = Objects::get().duplicate_comm(c.comm);
    c.event.fields.set(Field::new_comm, c.duplicate->id());
    // Current libraries set the handle at once. It must be read here: the variable of Open MPI's
    // Fortran bindings is on their stack.
    if (*comm == MPI_COMM_NULL) return;
    Objects::get().comm_made(*comm, c.duplicate);
    c.duplicate = nullptr;
  }
};
struct FreeComm : Role {
  static void before(Context& c, MPI_Comm* comm) {
    Comm::before(c, *comm);
    Objects::get().free_comm(*comm);
  }
};
struct CommName : Role {
  static void after(Context& c, const char* name) { Objects::get().rename_comm(c.comm, name); }
};
struct NewGroup : Role {
  static void after(Context& c, MPI_Group* group) {
    c.event.fields.set(Field::new_group, Objects::get().group(*group));
  }
};
struct FreeGroup : Role {
  static void before(Context& c, MPI_Group* group) { Group::before(c, *group); }
};
struct NewType : Role {
  static void after(Context& c, MPI_Datatype* type) {
    c.event.fields.set(Field::new_type, Objects::get().type(*type)->id);
  }
};
struct TypePointer : Role {
  static void before(Context& c, MPI_Datatype* type) {
    c.event.fields.set(Field::type, Objects::get().type(*type)->id);
  }
};
// Drops the record: type() describes the type again, with its new name.
struct RenamedType : Role {
  static void after(Context& c, MPI_Datatype type) {
    Objects::get().free_type(type);
    c.event.fields.set(Field::type, Objects::get().type(type)->id);
  }
};
struct FreeType : Role {
  static void before(Context& c, MPI_Datatype* type) {
    TypePointer::before(c, type);
    Objects::get().free_type(*type);
  }
};
struct NewOp : Role {
  static void after(Context& c, MPI_Op* op) {
    c.event.fields.set(Field::new_op, Objects::get().op(*op));
  }
};
struct FreeOp : Role {
  static void before(Context& c, MPI_Op* op) {
    c.event.fields.set(Field::op, Objects::get().op(*op));
    Objects::get().free_op(*op);
  }
};
struct WinBase : Role {
  static void before(Context& c, const void* base) { c.win_base = base; }
};
struct WinBytes : Role {
  static void before(Context& c, MPI_Aint bytes) { c.win_bytes = bytes; }
};
struct WinBaseOut : Role {
  static void after(Context& c, void* variable) { c.win_base = *static_cast<void**>(variable); }
};
struct NewWin : Role {
  static void after(Context& c, MPI_Win* win) {
    c.event.fields.set(Field::new_win,
                       Objects::get().new_win(*win, c.comm, c.win_base)->definition.id);
  }
};
struct FreeWin : Role {
  static void before(Context& c, MPI_Win* win) {
    Win::before(c, *win);
    Objects::get().free_win(*win);
  }
};
struct WinName : Role {
  static void after(Context& c, const char* name) { Objects::get().rename_win(c.win, name); }
};
struct WinInfoChange : Role {
  static void after(Context& c, MPI_Info given) { Objects::get().change_win_info(c.win, given); }
};
#if MPI_VERSION >= 4
struct Session : Role {
  static void before(Context& c, MPI_Session session) {
    c.event.fields.set(Field::session, Objects::get().other(handle_key(session)));
  }
};
struct NewSession : Role {
  static void after(Context& c, MPI_Session* session) { Session::before(c, *session); }
};
struct FreeSession : Role {
  static void before(Context& c, MPI_Session* session) { Session::before(c, *session); }
};
#endif

}  // namespace photofinish::mpi::roles
