// What of a call's arguments is an answer of MPI's, beside its result and the contents of buffers:
// exchanged with the journal of a recorded or replayed rank. New objects are made by the replayed
// rank itself, as stand-ins; the journal tells only whether there was one.
#pragma once

#include <cstdlib>

#include "frontend/mpi/context.h"
#include "frontend/mpi/roles.h"
#include "frontend/mpi/stand_ins.h"
#include "frontend/mpi/table/mpi_call.h"
#include "replay/journaling.h"

namespace photofinish::mpi {

template <class Role, Action action>
struct Answer {
  template <class T>
  static void exchange(Journal&, Context&, T) {}
};

inline void exchange_status(Journal& journal, MPI_Status& status) {
  journal(status.MPI_SOURCE, status.MPI_TAG, status.MPI_ERROR);
#if defined(OPEN_MPI)
  journal(status._cancelled, status._ucount);
#else
  journal(status.count_lo, status.count_hi_and_cancelled);
#endif
}

// Whether the call has done what it was asked for: a test or probe may not have.
inline bool is_done(const Context& c) { return c.flag == nullptr || *c.flag != 0; }

template <Action action>
struct Answer<roles::FlagOut, action> {
  static void exchange(Journal& journal, Context&, int* flag) { journal(*flag); }
};
template <Action action>
struct Answer<roles::IndexOut, action> {
  static void exchange(Journal& journal, Context&, int* index) { journal(*index); }
};
template <Action action>
struct Answer<roles::OutCount, action> {
  static void exchange(Journal& journal, Context&, int* count) { journal(*count); }
};
template <Action action>
struct Answer<roles::OutIndices, action> {
  static void exchange(Journal& journal, Context& c, int* indices) {
    for (int i = 0; *c.out_count != MPI_UNDEFINED && i < *c.out_count; ++i) journal(indices[i]);
  }
};
template <Action action>
struct Answer<roles::StatusOut, action> {
  static void exchange(Journal& journal, Context& c, MPI_Status* status) {
    if (is_done(c)) exchange_status(journal, *status);
  }
};
template <Action action>
struct Answer<roles::StatusesOut, action> {
  static void exchange(Journal& journal, Context& c, MPI_Status* statuses) {
    int count = is_done(c) ? c.request_count : 0;
    if constexpr (action == Action::WaitSome)
      count = *c.out_count != MPI_UNDEFINED ? *c.out_count : 0;
    for (int i = 0; i < count; ++i) exchange_status(journal, statuses[i]);
  }
};
template <Action action>
struct Answer<roles::PlainStatus, action> {
  static void exchange(Journal& journal, Context&, MPI_Status* status) {
    if (status != MPI_STATUS_IGNORE) exchange_status(journal, *status);
  }
};
template <Action action>
struct Answer<roles::IntOut, action> {
  template <class T>
  static void exchange(Journal& journal, Context&, T* value) {
    journal(*value);
  }
};
template <Action action>
struct Answer<roles::BytesOut, action> {
  template <class T>
  static void exchange(Journal& journal, Context&, T* bytes) {
    journal(*bytes);
  }
};
template <Action action>
struct Answer<roles::AddressOut, action> {
  static void exchange(Journal& journal, Context&, void* variable) {
    journal(*static_cast<std::uint64_t*>(variable));
  }
};

template <Action action>
struct Answer<roles::NewRequest, action> {
  static void exchange(Journal& journal, Context&, MPI_Request* request) {
    bool is_null = !journal.replays() && *request == MPI_REQUEST_NULL;
    journal(is_null);
    if (journal.replays()) *request = is_null ? MPI_REQUEST_NULL : stand_in_request();
  }
};
template <Action action>
struct Answer<roles::NewMessage, action> {
  static void exchange(Journal& journal, Context& c, MPI_Message* message) {
    if (!is_done(c)) return;
    int kind = journal.replays()                 ? 0
               : *message == MPI_MESSAGE_NULL    ? 0
               : *message == MPI_MESSAGE_NO_PROC ? 1
                                                 : 2;
    journal(kind);
    if (journal.replays())
      *message = kind == 0   ? MPI_MESSAGE_NULL
                 : kind == 1 ? MPI_MESSAGE_NO_PROC
                             : stand_in_message();
  }
};
template <Action action>
struct Answer<roles::TakeMessage, action> {
  static void exchange(Journal& journal, Context&, MPI_Message* message) {
    if (journal.replays()) *message = MPI_MESSAGE_NULL;
  }
};
constexpr bool duplicates(Call call) {
  return call == MpiCall::MPI_Comm_dup || call == MpiCall::MPI_Comm_dup_with_info ||
         call == MpiCall::MPI_Comm_idup || call == MpiCall::MPI_Comm_idup_with_info;
}
template <Action action>
struct Answer<roles::NewComm, action> {
  static void exchange(Journal& journal, Context& c, MPI_Comm* comm) {
    bool is_null = !journal.replays() && *comm == MPI_COMM_NULL;
    journal(is_null);
    if (journal.replays())
      *comm = is_null ? MPI_COMM_NULL
              : duplicates(c.call)
                  ? stand_in_duplicate(c.comm_handle)
                  : stand_in_comm(c.comm != nullptr ? c.comm_handle : MPI_COMM_NULL);
  }
};
template <Action action>
struct Answer<roles::NewCommLater, action> : Answer<roles::NewComm, action> {};
template <Action action>
struct Answer<roles::NewGroup, action> {
  static void exchange(Journal& journal, Context&, MPI_Group* group) {
    int kind = journal.replays()           ? 0
               : *group == MPI_GROUP_NULL  ? 0
               : *group == MPI_GROUP_EMPTY ? 1
                                           : 2;
    journal(kind);
    if (journal.replays())
      *group = kind == 0 ? MPI_GROUP_NULL : kind == 1 ? MPI_GROUP_EMPTY : stand_in_group();
  }
};
template <Action action>
struct Answer<roles::FileOut, action> {
  static void exchange(Journal& journal, Context&, MPI_File* file) {
    bool is_null = !journal.replays() && *file == MPI_FILE_NULL;
    journal(is_null);
    if (journal.replays()) *file = is_null ? MPI_FILE_NULL : stand_in_file();
  }
};

// Window memory that MPI allocated is where it was: pointers into it are worth the same.
template <Action action>
struct Answer<roles::WinBaseOut, action> {
  static void exchange(Journal& journal, Context& c, void* variable) {
    auto& address = *static_cast<std::uint64_t*>(variable);
    journal(address);
    c.win_base = *static_cast<void**>(
        variable);  // of the window that stands in, too: MPI_WIN_BASE is asked of that
    if (!journal.replays() || c.win_bytes == 0 ||
        map_at(address, static_cast<std::uint64_t>(c.win_bytes)) != nullptr)
      return;
    say_line("cannot replay: the recorded address of a window is already in use");
    std::_Exit(70);
  }
};
template <Action action>
struct Answer<roles::NewWin, action> {
  static void exchange(Journal& journal, Context& c, MPI_Win* win) {
    if (journal.replays())
      *win = stand_in_win(const_cast<void*>(c.win_base), c.win_base != nullptr ? c.win_bytes : 0);
  }
};

// Handles of requests that completed are null, but for persistent ones.
inline void release_requests(Context& c, Action action) {
  const auto release = [&](std::uint32_t index) {
    if (c.scratch.taken[index] != nullptr) return;
    release_request(c.scratch.handles[index]);
    c.requests[index] = MPI_REQUEST_NULL;
  };
  if (action == Action::RequestFree) return release(0);
  for (const Completion& completion : c.event.completions) release(completion.index);
}

}  // namespace photofinish::mpi
