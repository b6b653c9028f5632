// Calls that start operations with a request, and calls that complete them.
#include <algorithm>

#include "frontend/mpi/meaning/meaning.h"

namespace photofinish::mpi_meaning {

void MpiMeaning::point_to_point(const Event& event, Action action, When when) {
  Comm& comm = comms_.of(event);
  if (when == When::Prepares) {
    if (!event.fields.has(Field::request)) return;
    Request& request = new_request(effects_, requests_, event);
    request.comm = &comm;
    Request::Rare& rare = request.rarely();
    rare.prepared = std::make_unique<Event>(event);
    if (action == Action::PartitionedSend)
      rare.number =
          ++comm.partitioned_out[{event.fields.rank(Field::to), event.fields[Field::send_tag]}];
    if (action == Action::PartitionedReceive)
      rare.number =
          ++comm.partitioned_in[{event.fields.rank(Field::from), event.fields[Field::recv_tag]}];
    return;
  }
  Request* request = nullptr;
  if (when == When::Starts) {
    if (!event.fields.has(Field::request)) return;
    request = &new_request(effects_, requests_, event);
    request->comm = &comm;
    effects_.open_all(request->accesses, effects_.buffers_of(event, true));
  }
  if (action == Action::Receive && request == nullptr && matching_.receive_at_once(event, comm)) {
    effects_.close_now(effects_.buffers_of(event, false), event.site);
    return;
  }
  std::shared_ptr<Posted> posted;
  if (receives(action) && event.fields.rank(Field::from) != kProcNull)
    posted = matching_.post_receive(event, comm, event.fields.rank(Field::from),
                                    event.fields[Field::recv_tag]);
  const std::uint64_t sent = sends(action) ? matching_.send(event, comm, request) : 0;
  if (action == Action::MatchedReceive) matching_.take_probed(event);
  if (request != nullptr) {
    request->receive = posted;
    return;
  }
  if (sent != 0 && action != Action::Send)
    steps_.report(MessageStep::Kind::CompleteSend, sent, event.site);
  if (posted != nullptr) {
    if (event.fields.rank(Field::matched_from) != kProcNull && event.fields.has(Field::matched_tag))
      matching_.received(comm, posted, event.fields.rank(Field::matched_from),
                         event.fields[Field::matched_tag], event.site);
    else
      matching_.withdraw(comm, posted, event.site);
  }
  effects_.close_now(effects_.buffers_of(event, false), event.site);
}

void MpiMeaning::start_persistent(const Event& event) {
  std::uint32_t operation = 0;
  for (const RequestId id : event.requests) {
    ++operation;
    const auto found = requests_.find(id);
    if (found == requests_.end() || found->second.prepared() == nullptr) continue;
    request_started(effects_, id);
    Request& request = found->second;
    Request::Rare& rare = *request.rare;
    ++rare.starts;
    Event started = *rare.prepared;  // as if the prepared call were made here
    started.site = event.site;
    request.accesses.clear();
    rare.acquires.clear();
    const Action action = traits(started.call).action;
    if (action == Action::PartitionedSend || action == Action::PartitionedReceive) {
      partitions_.start(request, started);
      continue;
    }
    effects_.open_all(request.accesses, effects_.buffers_of(started, true));
    request.accesses.each([&](OpenAccess& access) { access.part = operation; });
    if (sends(action)) matching_.send(started, *request.comm, &request);
    if (receives(action) && started.fields.rank(Field::from) != kProcNull)
      request.receive =
          matching_.post_receive(started, *request.comm, started.fields.rank(Field::from),
                                 started.fields[Field::recv_tag]);
    if (!sends(action) && !receives(action)) collectives_.start(request, started, action);
  }
}

void MpiMeaning::partition(const Event& event, Action action) {
  const auto found = requests_.find(id_of_request(event));
  if (found == requests_.end() || found->second.prepared() == nullptr) return;
  if (action == Action::PartitionArrived)
    partitions_.arrived(found->second, event);
  else
    partitions_.ready(found->second, event);
}

// Whether the call polls: if the request had been incomplete, the call would have returned nothing,
// or another request.
bool MpiMeaning::asks(const Event& event) const {
  const auto& [name, action, when] = traits(event.call);
  if (when != When::Blocks) return true;
  if (action != Action::WaitAny && action != Action::WaitSome) return false;
  return std::count_if(event.requests.begin(), event.requests.end(),
                       [&](RequestId id) { return requests_.contains(id); }) > 1;
}

void MpiMeaning::completion(const Event& event, Action action) {
  steps_.asked = asks(event);
  complete_those(event, action);
  steps_.asked = false;
}

void MpiMeaning::complete_those(const Event& event, Action action) {
  if (action == Action::RequestStatus) {
    if (!event.fields.has(Field::request) || event.fields[Field::flag] == 0) return;
    if (const auto general = general_.find(id_of_request(event)); general != general_.end())
      effects_.task_acquire(general->second);
    const auto found = requests_.find(id_of_request(event));
    if (found == requests_.end()) return;
    Request& request = found->second;
    effects_.task_acquire(request_key(found->first));
    // A later completion by another task is ordered after this call.
    effects_.task_release(request_key(found->first), At::Return);
    effects_.close_all(request.accesses, event.site);
    acquire_all(request);
    steps_.over(request, event.site);
    if (request.receive != nullptr && event.fields.has(Field::matched_from)) {
      matching_.received(*request.comm, request.receive, event.fields.rank(Field::matched_from),
                         event.fields[Field::matched_tag], event.site);
      request.receive.reset();
    }
    return;
  }
  if (action == Action::RequestFree) {
    for (const RequestId id : event.requests) {
      const auto found = requests_.find(id);
      if (found == requests_.end()) continue;
      const Action started = traits(found->second.call).action;
      if ((sends(started) || receives(started)) && !found->second.cancelled)
        freed_.push_back({std::move(found->second.accesses), event.site});
      else
        effects_.close_all(found->second.accesses, event.site);
      if (found->second.send != 0)
        steps_.report(MessageStep::Kind::Free, found->second.send, event.site);
      if (Posted* const receive = found->second.receive.get()) {
        receive->freed = true;
        steps_.taken(*found->second.comm, *receive);
      }
      requests_.erase(found);
    }
    return;
  }
  for (const Completion& completion : event.completions) {
    if (completion.index >= event.requests.size()) continue;
    if (const auto general = general_.find(event.requests[completion.index]);
        general != general_.end()) {
      effects_.task_acquire(general->second);
      general_.erase(general);
    }
    const auto found = requests_.find(event.requests[completion.index]);
    if (found == requests_.end()) continue;
    effects_.task_acquire(request_key(found->first));
    complete(found->second, completion, event);
    if (found->second.prepared() != nullptr) continue;
    effects_.forget_task_release(request_key(found->first));
    requests_.erase(found);
  }
}

void MpiMeaning::complete(Request& request, const Completion& completion, const Event& event) {
  effects_.close_all(request.accesses, event.site);
  const bool receive = request.receive != nullptr;
  if (receive) {
    if (completion.cancelled || completion.from.value < 0)
      matching_.withdraw(*request.comm, request.receive, event.site);
    else
      matching_.received(*request.comm, request.receive, completion.from, completion.tag,
                         event.site);
    request.receive.reset();
  }
  acquire_all(request);
  if (completion.cancelled && !receive) matching_.withdraw_send(request, event.site);
  steps_.over(request, event.site);
  if (request.rare != nullptr && request.rare->operation != 0) one_sided_.complete(request, event);
}

// No call completes them. A program may know from another rank that they are complete.
void MpiMeaning::close_freed() {
  for (Freed& freed : freed_) effects_.close_all(freed.accesses, freed.by);
  freed_.clear();
}

void MpiMeaning::acquire_all(Request& request) {
  if (request.rare == nullptr) return;
  for (const auto& [key, position] : request.rare->acquires) effects_.acquire(key, position);
  request.rare->acquires.clear();
}

// A call that did not return: its sends and receives are posted, and the rank waits in it. If it is
// not known what it waits for, no wait is reported.
void MpiMeaning::report_unreturned(const Event& event) {
  const auto& [name, action, when] = traits(event.call);
  if (when == When::Consumes) return;  // a polling call waits for nothing
  steps_.unreturned = true;
  if (action == Action::Wait || action == Action::WaitAll ||
      ((action == Action::WaitAny || action == Action::WaitSome) && event.requests.size() == 1)) {
    for (const RequestId id : event.requests)
      if (const auto found = requests_.find(id); found != requests_.end())
        steps_.waits(found->second, event.site);
    return;
  }
  if (event.fields.has(Field::win)) return one_sided_.report_unreturned(event, action);
  if (when == When::Prepares || !event.fields.has(Field::comm)) return;
  Comm& comm = comms_.of(event);
  const bool both = action == Action::SendReceive || action == Action::SendReceiveReplace;
  const bool probes = action == Action::Probe || action == Action::MatchedProbe;
  const bool receives = action == Action::Receive || both || probes;
  const bool sends = action == Action::Send || both;
  std::uint64_t posted = 0, sent = 0;
  if (receives) {
    const WorldRank from = event.fields.rank(Field::from);
    if (from != kProcNull)
      posted = steps_.receive(comm, from, event.fields[Field::recv_tag], event.site);
  }
  if (sends) {
    const WorldRank to = event.fields.rank(Field::to);
    const std::int64_t tag = event.fields[Field::send_tag];
    if (to.value >= 0)
      sent = steps_.send(
          event, comm, to,
          message_key(Channel::Message, comm.uid, effects_.rank(), to, tag, comm.sent[{to, tag}]++),
          false);
  }
  if (!sends && !receives)  // a collective, or a call without messages
    collectives_.report_unreturned(event, action, when, comm);
  if (when == When::Starts) return;
  if (posted != 0) steps_.report(MessageStep::Kind::CompleteReceive, posted, event.site);
  if (sent != 0) steps_.report(MessageStep::Kind::CompleteSend, sent, event.site);
}

}  // namespace photofinish::mpi_meaning
