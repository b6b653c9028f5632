// Completion of requests. Requests are removed from the table before the call that may free them:
// afterwards another thread may already have a new request with the same handle.
#include "frontend/mpi/control.h"
#include "frontend/mpi/fortran.h"
#include "frontend/mpi/status.h"
#include "replay/journaling.h"

namespace photofinish::mpi {
namespace {

void complete(Context& c, int index, const MPI_Status& status) {
  RequestRecord* record = c.scratch.taken[static_cast<std::size_t>(index)];
  if (record == nullptr || !record->active) return;
  Completion completion{.index = static_cast<std::uint32_t>(index)};
  completion.cancelled = record->cancel_asked && status_cancelled(status);
  if (record->receives && !completion.cancelled) {
    completion.from = record->comm != nullptr ? record->comm->peer(status.MPI_SOURCE) : kProcNull;
    completion.tag = status.MPI_TAG;
    completion.bytes = status_bytes(status);
  }
  c.event.completions.push_back(completion);
  if (Control* control = Control::get()) [[unlikely]]
    control->deliver(record->id, completion.bytes, completion.cancelled);
  if (Journaling* journaling = Journaling::get(); journaling != nullptr && !completion.cancelled)
      [[unlikely]]
    journaling->exchange_fills(c.task, std::as_const(*record).rare().fills,
                               record->receives ? completion.bytes : -1,
                               std::as_const(*record).rare().step);
  if (record->is_rare()) [[unlikely]] {
    const RequestRecord::Rare& rare = record->rare();
    if (rare.fetch_of != nullptr) add_result_of(c, *record);
    if (rare.duplicate != nullptr) Objects::get().comm_made(*rare.new_comm, rare.duplicate);
  }
  if (record->persistent) {
    record->active = record->cancel_asked = false;
    return;
  }
  Objects::get().recycle_request(record);
  c.scratch.taken[static_cast<std::size_t>(index)] = nullptr;
}

void give_back(Context& c) {
  for (int i = 0; i < c.request_count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    RequestRecord* record = c.scratch.taken[at];
    if (record == nullptr) continue;
    // Even a call that failed may have freed it.
    if (c.requests[i] == MPI_REQUEST_NULL && !record->persistent)
      Objects::get().recycle_request(record);
    else
      Objects::get().put_request(c.scratch.handles[at], record);
  }
}

}  // namespace

void take_requests(Context& c) {
  Scratch& scratch = c.scratch;
  scratch.taken.clear();
  scratch.handles.clear();
  for (int i = 0; i < c.request_count; ++i) {
    RequestRecord* record = Objects::get().take_request(c.requests[i], variable_of(c.requests, i));
    scratch.taken.push_back(record);
    scratch.handles.push_back(c.requests[i]);
    c.event.requests.push_back(record != nullptr ? record->id : RequestId(0));
    if (record != nullptr && record->is_rare() && record->rare().fetch_of != nullptr) [[unlikely]]
      c.event.more_numbers += 2;
  }
}

void name_requests(Context& c, Action action) {
  for (int i = 0; i < c.request_count; ++i) {
    RequestRecord* record = Objects::get().find_request(c.requests[i], variable_of(c.requests, i));
    c.event.requests.push_back(record != nullptr ? record->id : RequestId(0));
    if (record != nullptr) (action == Action::Start ? record->active : record->cancel_asked) = true;
  }
}

void complete_requests(Context& c, Action action, int result) {
  const bool some_failed = result == MPI_ERR_IN_STATUS;
  if (result == MPI_SUCCESS || some_failed) {
    if (c.flag != nullptr) c.event.fields.set(Field::flag, *c.flag != 0);
    const bool done = c.flag == nullptr || *c.flag != 0 || some_failed;
    switch (action) {
      case Action::Wait:
        if (done) complete(c, 0, *c.status);
        break;
      case Action::WaitAny:
        if (done && *c.index != MPI_UNDEFINED) complete(c, *c.index, *c.status);
        break;
      case Action::WaitSome:
        for (int i = 0; *c.out_count != MPI_UNDEFINED && i < *c.out_count; ++i)
          complete(c, c.out_indices[i], c.status[i]);
        break;
      case Action::WaitAll:
        for (int i = 0; done && i < c.request_count; ++i)
          if (!some_failed || c.status[i].MPI_ERROR != MPI_ERR_PENDING) complete(c, i, c.status[i]);
        break;
      case Action::RequestFree:  // the operation may be pending, but no call can complete it
        if (RequestRecord* record = c.scratch.taken[0]) Objects::get().recycle_request(record);
        c.scratch.taken[0] = nullptr;
        break;
      default:
        break;
    }
  }
  give_back(c);
}

bool is_truncation(int result) {
  int error_class = MPI_SUCCESS;
  return REAL(PMPI_Error_class)(result, &error_class) == MPI_SUCCESS &&
         error_class == MPI_ERR_TRUNCATE;
}

void set_matched_of_request(Context& c) {
  const RequestRecord* record = c.asked_request;
  if (record == nullptr || *c.flag == 0 || !record->active || !record->receives ||
      (record->cancel_asked && status_cancelled(*c.status)))
    return;
  set_matched(c, *c.status);
  if (Control* control = Control::get()) [[unlikely]]
    control->deliver(record->id, status_bytes(*c.status), false);
}

void set_matched(Context& c, const MPI_Status& status) {
  FieldSet& fields = c.event.fields;
  if (c.comm == nullptr)
    fields.set(Field::matched_from, kProcNull);  // a matched receive of MPI_MESSAGE_NO_PROC
  else
    fields.set(Field::matched_from, c.comm->peer(status.MPI_SOURCE));
  fields.set(Field::matched_tag, status.MPI_TAG);
  fields.set(Field::matched_bytes, status_bytes(status));
}

}  // namespace photofinish::mpi
