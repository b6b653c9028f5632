// Messages and requests: the lifetime of their buffers, and the match of each receive.
//
// MPI messages do not overtake. Among messages of one source, communicator and tag, the k-th send
// matches the k-th receive, in posting order, that took such a message. Both ends count, and
// compute the same key.
#include <algorithm>

#include "detect/timeline_state.h"

namespace photofinish {
namespace {

bool sends(Action action) {
  return action == Action::Send || action == Action::SendReceive ||
         action == Action::SendReceiveReplace;
}
bool receives(Action action) {
  return action == Action::Receive || action == Action::SendReceive ||
         action == Action::SendReceiveReplace;
}

WorldRank rank_in(const Event& event, Field field) {
  return event.fields.has(field) ? WorldRank(static_cast<std::int32_t>(event.fields[field]))
                                 : kProcNull;
}

}  // namespace

Timeline::Request& Timeline::new_request(const Event& event) {
  const RequestId id(static_cast<std::uint64_t>(
      event.fields.has(Field::request) ? event.fields[Field::request] : 0));
  Request& request = requests_[id];
  request = {};
  request.call = event.call;
  started_request(id);
  return request;
}

// A task that completes a request comes after the task that started it, whose handle it uses.
void Timeline::started_request(RequestId id) {
  if (tasks_ != nullptr)
    tasks_->release(task_, edge_key(Channel::Request, id.value), start_ + 1, false);
}

void Timeline::completed_request(RequestId id) {
  if (tasks_ != nullptr) tasks_->acquire(task_, edge_key(Channel::Request, id.value));
}

void Timeline::point_to_point(const Event& event, Action action, When when) {
  Comm& comm = this->comm(CommId(
      static_cast<std::uint32_t>(event.fields.has(Field::comm) ? event.fields[Field::comm] : 0)));
  if (when == When::Prepares) {
    if (!event.fields.has(Field::request)) return;
    Request& request = new_request(event);
    request.comm = &comm;
    Request::Rare& rare = request.rarely();
    rare.prepared = std::make_unique<Event>(event);
    if (action == Action::PartitionedSend)
      rare.number =
          ++comm.partitioned_out[{rank_in(event, Field::to), event.fields[Field::send_tag]}];
    if (action == Action::PartitionedReceive)
      rare.number =
          ++comm.partitioned_in[{rank_in(event, Field::from), event.fields[Field::recv_tag]}];
    return;
  }
  Request* request = nullptr;
  if (when == When::Starts) {
    if (!event.fields.has(Field::request)) return;
    request = &new_request(event);
    request->comm = &comm;
    open_all(*request, buffers_of(event, true));
  }
  if (action == Action::Receive && request == nullptr && receive_at_once(event, comm)) {
    for (Access& access : buffers_of(event, false)) close_now(access, event.site);
    return;
  }
  std::shared_ptr<Posted> posted;
  if (receives(action) && rank_in(event, Field::from) != kProcNull)
    posted = post_receive(event, comm, rank_in(event, Field::from), event.fields[Field::recv_tag]);
  const std::uint64_t sent = sends(action) ? send(event, comm, request) : 0;
  if (action == Action::MatchedReceive && event.fields.has(Field::message)) {
    const MessageId message(static_cast<std::uint64_t>(event.fields[Field::message]));
    if (tasks_ != nullptr) tasks_->acquire(task_, edge_key(Channel::Matched, message.value));
    if (const auto found = probed_.find(message); found != probed_.end()) {
      release(found->second, start_);
      probed_.erase(found);
    } else {  // which of several messages the probe saw is not known yet
      add_edge(phase_at_start_, {start_, unsettled_key(), false, 0, true, send(phase_at_start_)});
    }
  }
  if (request != nullptr) {
    request->receive = posted;
    return;
  }
  if (sent != 0 && action != Action::Send)
    report(MessageStep::Kind::CompleteSend, sent, event.site);
  if (posted != nullptr) {
    if (rank_in(event, Field::matched_from) != kProcNull && event.fields.has(Field::matched_tag))
      received(comm, posted, rank_in(event, Field::matched_from), event.fields[Field::matched_tag],
               event.site);
    else
      withdraw(comm, posted, event.site);
  }
  for (Access& access : buffers_of(event, false)) close_now(access, event.site);
}

// Fast path: most receives block, and no unsettled one precedes them.
bool Timeline::receive_at_once(const Event& event, Comm& comm) {
  if (!comm.unsettled.empty() || !event.fields.has(Field::matched_tag)) return false;
  Posted posted;
  posted.from = rank_in(event, Field::matched_from);
  if (posted.from == kProcNull) return false;
  posted.tag = event.fields[Field::matched_tag];
  posted.posted = start_;
  posted.completed = return_;
  posted.posted_phase = phase_at_start_;
  posted.phase = sync_points_done_;
  posted.known = send(phase_at_start_);
  acquired();
  posted.index = comm.taken[{posted.from, posted.tag}]++;
  if (!wants_messages_ && !keeps_edges_) return true;
  const MessageKey key =
      message_key(Channel::Message, comm.uid, posted.from, rank_, posted.tag, posted.index);
  if (wants_messages_) report_received(event, comm, key);
  if (!keeps_edges_) return true;
  report_sender(comm, posted);
  if (posted.from.value >= 0) add_edge(posted.phase, {posted.completed, key, true, kEveryPosition});
  return true;
}

// The operation number for the sink; 0: none.
std::uint64_t Timeline::send(const Event& event, Comm& comm, Request* request) {
  const WorldRank to = rank_in(event, Field::to);
  if (to.value < 0) return 0;
  const std::int64_t tag = event.fields[Field::send_tag];
  const std::uint64_t index = comm.sent[{to, tag}]++;
  if (request != nullptr)
    request->sent_to = to, request->sent_tag = tag, request->sent_index = index;
  if (!wants_messages_ && !keeps_edges_) return 0;
  const MessageKey message = message_key(Channel::Message, comm.uid, rank_, to, tag, index);
  release(message, start_);
  const bool at_once = request == nullptr && traits(event.call).action == Action::Send;
  const std::uint64_t reported =
      wants_messages_ ? report_send(event, comm, to, message, at_once) : 0;
  if (request != nullptr) request->send = reported;
  if (mode_of(event.call) != SendMode::Synchronous) return reported;
  const std::uint64_t key = message_key(Channel::Rendezvous, comm.uid, rank_, to, tag, index);
  if (request != nullptr)
    request->rarely().acquires.emplace_back(key, kEveryPosition);
  else
    acquire(key, return_);
  return reported;
}

std::shared_ptr<Timeline::Posted> Timeline::post_receive(const Event& event, Comm& comm,
                                                         WorldRank from, std::int64_t tag) {
  auto posted = std::make_shared<Posted>();
  posted->from = from;
  posted->tag = tag;
  posted->posted = start_;
  posted->posted_phase = phase_at_start_;
  posted->known = send(phase_at_start_);
  if (sink_ != nullptr) posted->operation = report_receive(comm, from, tag, event.site);
  if (comm.unsettled.empty() && !posted->wild()) {  // no unsettled receive precedes it
    posted->index = comm.taken[{from, tag}]++;
    posted->settled = true;
    report_sender(comm, *posted);
  } else {
    comm.unsettled.add(posted);
    if (!posted->wild()) settle(comm, {from, tag});
  }
  return posted;
}

void Timeline::received(Comm& comm, const std::shared_ptr<Posted>& posted, WorldRank from,
                        std::int64_t tag, SiteId site) {
  report_complete(*posted, site);
  posted->completed = return_;
  posted->phase = sync_points_done_;
  acquired();
  const Wanted wanted{posted->from, posted->tag};
  if (!posted->settled) {
    comm.unsettled.narrow(*posted, from, tag);
    return settle(comm, wanted);
  }
  posted->done = true;
  posted->from = from;
  posted->tag = tag;
  arrived(comm, *posted);
}

// Numbers the receives that no earlier receive can take a message from any more. One that wanted
// `wanted` is out of their way, or wants less.
void Timeline::settle(Comm& comm, const Wanted& wanted) {
  comm.unsettled.settle(wanted, [&](std::shared_ptr<Posted> settled) {
    Posted& posted = *settled;
    comm.unsettled.remove(posted);
    std::uint64_t& taken = comm.taken[{posted.from, posted.tag}];
    posted.index = posted.takes ? taken++ : taken;
    posted.settled = true;
    report_sender(comm, posted);
    if (posted.done)
      arrived(comm, posted);
    else if (posted.freed)
      report_taken(comm, posted);
  });
}

void Timeline::arrived(Comm& comm, const Posted& posted) {
  if (posted.from.value < 0) return;
  const MessageKey key =
      message_key(Channel::Message, comm.uid, posted.from, rank_, posted.tag, posted.index);
  add_edge(posted.phase, {posted.completed, key, true, kEveryPosition});
  if (posted.operation != 0) sink_->took(posted.operation, key);
  if (posted.matched_probe)
    probed_[posted.message] =
        message_key(Channel::Rendezvous, comm.uid, posted.from, rank_, posted.tag, posted.index);
}

// A posted receive ends the wait of a synchronous send, whenever the receive itself completes.
void Timeline::report_sender(Comm& comm, Posted& posted) {
  if (posted.reported || !posted.takes || posted.matched_probe || posted.from.value < 0) return;
  posted.reported = true;
  add_edge(posted.posted_phase, {posted.posted,
                                 message_key(Channel::Rendezvous, comm.uid, posted.from, rank_,
                                             posted.tag, posted.index),
                                 false, 0, false, posted.known});
}

// For receives with an unknown match in phases that are about to be taken: adds guessed edges for
// all matches that they may have.
void Timeline::guess_unsettled() {
  for (auto& [id, comm] : comms_)
    for (auto it = comm->unsettled.in_order().begin(); it != comm->unsettled.in_order().end();
         ++it) {
      if (*it == nullptr) continue;
      const Posted& posted = **it;
      if (posted.takes && !posted.matched_probe)
        add_edge(posted.posted_phase,
                 {posted.posted, unsettled_key(), false, 0, true, posted.known});
      if (posted.completed == 0 || posted.wild() || posted.from.value < 0) continue;
      const auto contenders =
          std::count_if(comm->unsettled.in_order().begin(), it, [&](const auto& earlier) {
            return earlier != nullptr && earlier->could_take(posted.from, posted.tag);
          });
      const std::uint64_t first = comm->taken[{posted.from, posted.tag}];
      for (std::uint64_t index = first; index <= first + static_cast<std::uint64_t>(contenders);
           ++index)
        add_edge(posted.phase,
                 {posted.completed,
                  message_key(Channel::Message, comm->uid, posted.from, rank_, posted.tag, index),
                  true, kEveryPosition, true});
    }
}

// A receive that took nothing: later ones take its number.
void Timeline::withdraw(Comm& comm, const std::shared_ptr<Posted>& posted, SiteId site) {
  if (posted->operation != 0) report(MessageStep::Kind::Cancel, posted->operation, site);
  report_complete(*posted, site);
  if (!posted->settled) {
    const Wanted wanted{posted->from, posted->tag};
    comm.unsettled.remove(*posted);
    settle(comm, wanted);
    return;
  }
  --comm.taken[{posted->from, posted->tag}];
  for (auto& [id, request] : requests_)
    if (Posted* const receive = request.receive.get();
        request.comm == &comm && receive != nullptr && receive->settled && !receive->done &&
        receive->from == posted->from && receive->tag == posted->tag &&
        receive->index > posted->index)
      --receive->index;
}

// A send that was never matched: the next one takes its number, unless another send came in
// between.
void Timeline::withdraw_send(Request& request, SiteId site) {
  if (request.comm == nullptr || request.sent_to.value < 0) return;
  std::uint64_t& sent = request.comm->sent[{request.sent_to, request.sent_tag}];
  if (sent == request.sent_index + 1) --sent;
  if (request.send == 0) return;
  MessageStep cancelled = step(MessageStep::Kind::Cancel, site);
  cancelled.operation = std::exchange(request.send, 0);
  cancelled.carries = false;
  sink_->step(std::move(cancelled));
}

void Timeline::probe(const Event& event, Action action) {
  if (event.fields.has(Field::flag) && event.fields[Field::flag] == 0) return;
  const WorldRank from = rank_in(event, Field::matched_from);
  if (from.value < 0 || !event.fields.has(Field::matched_tag)) return;
  Comm& comm = this->comm(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
  auto posted = std::make_shared<Posted>();
  posted->from = from;
  posted->tag = event.fields[Field::matched_tag];
  posted->posted = start_;
  posted->posted_phase = phase_at_start_;
  posted->phase = sync_points_done_;
  acquired();
  posted->completed = return_;
  posted->done = true;
  posted->takes = action == Action::MatchedProbe;
  if (posted->takes && event.fields.has(Field::message)) {
    posted->matched_probe = true;
    posted->message = MessageId(static_cast<std::uint64_t>(event.fields[Field::message]));
    // The task that receives the message comes after this one, whose handle it uses.
    if (tasks_ != nullptr)
      tasks_->release(task_, edge_key(Channel::Matched, posted->message.value), return_ + 1, false);
  }
  asked_ = asks(event);
  if (sink_ != nullptr) report_probe(event, action, comm, *posted);
  asked_ = false;
  const Wanted seen{posted->from, posted->tag};
  comm.unsettled.add(std::move(posted));
  settle(comm, seen);
}

void Timeline::start_persistent(const Event& event) {
  std::uint32_t operation = 0;
  for (const RequestId id : event.requests) {
    ++operation;
    const auto found = requests_.find(id);
    if (found == requests_.end() || found->second.prepared() == nullptr) continue;
    started_request(id);
    Request& request = found->second;
    Request::Rare& rare = *request.rare;
    ++rare.starts;
    const Event& prepared = *rare.prepared;
    const Action action = traits(prepared.call).action;
    Event started = prepared;  // as if it were called here
    started.site = event.site;
    request.accesses.clear();
    rare.acquires.clear();
    if (action == Action::PartitionedSend || action == Action::PartitionedReceive) {
      const bool incoming = action == Action::PartitionedReceive;
      const WorldRank peer = rank_in(prepared, incoming ? Field::from : Field::to);
      rare.ready = 0;
      rare.parts.clear();
      if (!incoming || peer.value < 0) continue;  // its partitions are in use from MPI_Pready on
      const std::uint64_t key =
          edge_key(Channel::Partition, request.comm->uid.value,
                   static_cast<std::uint32_t>(peer.value), static_cast<std::uint32_t>(rank_.value),
                   prepared.fields[Field::recv_tag], rare.number, rare.starts);
      rare.acquires.emplace_back(key, kEveryPosition);
      if (sink_ != nullptr && !request.comm->has_external_ranks) rare.acquired = {{key, one(peer)}};
      const std::int64_t partitions = std::max<std::int64_t>(1, prepared.fields[Field::partitions]);
      for (const Buffer& whole : prepared.buffers)
        for (std::int64_t i = 0; i < partitions; ++i) {
          Buffer part = whole;
          part.count = whole.count / partitions;
          const auto type = definitions_.types.find(whole.type);
          const std::int64_t extent =
              type != definitions_.types.end() ? type->second.map.extent : 1;
          part.address += static_cast<std::uint64_t>(i * part.count * extent);
          request.accesses.add(opened(make(started, AccessKind::Store, part, true)));
        }
      continue;
    }
    open_all(request, buffers_of(started, true));
    request.accesses.each([&](OpenAccess& access) { access.part = operation; });
    if (sends(action)) send(started, *request.comm, &request);
    if (receives(action) && rank_in(started, Field::from) != kProcNull)
      request.receive = post_receive(started, *request.comm, rank_in(started, Field::from),
                                     started.fields[Field::recv_tag]);
    if (!sends(action) && !receives(action)) {
      // Persistent collectives have their own numbers, since others of the communicator may come in
      // between.
      Comm numbered = *request.comm;
      numbered.collectives =
          (rare.number << 40) + (rare.starts << 1 | 1) + (std::uint64_t{1} << 63);
      const Flow flow = flow_of(started, action, numbered);
      if (sink_ != nullptr)
        rare.acquired = report_flow(started, action, When::Starts, numbered, flow);
      for (const auto& [key, position] : flow.releases) release(key, start_, position);
      rare.acquires = flow.acquires;
    }
  }
}

namespace {

// Key of one partition, or (`whole` is false) of as many as make up one of the other end.
std::uint64_t part_key(std::uint64_t message, std::int64_t partitions, std::int64_t index,
                       bool whole) {
  return edge_key(Channel::Partition, message, partitions, index, whole ? 1 : 2);
}

template <class Visit>
void each_divisor(std::int64_t number, Visit visit) {
  for (std::int64_t one = 1; one * one <= number; ++one) {
    if (number % one != 0) continue;
    visit(one);
    if (one * one != number) visit(number / one);
  }
}

}  // namespace

// The ends may partition a message differently, and neither knows the other's partition count. The
// receiver acquires the part that contains its partition, if its partitions divide that part. The
// sender releases a larger part when all its partitions are ready. If neither count divides the
// other, a single partition creates no edge.
void Timeline::release_part(Request& request, std::uint64_t message, std::int64_t partitions,
                            std::int64_t index) {
  if (index < 0 || index >= partitions) return;
  release(part_key(message, partitions, index, true), start_);
  each_divisor(partitions, [&](std::int64_t larger) {
    const std::int64_t of = partitions / larger, part = index / of;
    if (of > 1 && ++request.rare->parts[{larger, part}] == of)
      release(part_key(message, larger, part, false), start_);
  });
}

void Timeline::acquire_part(std::uint64_t message, std::int64_t partitions, std::int64_t index) {
  acquire(part_key(message, partitions, index, false), return_);
  each_divisor(partitions, [&](std::int64_t larger) {
    acquire(part_key(message, larger, index / (partitions / larger), true), return_);
  });
}

void Timeline::partition(const Event& event, Action action) {
  const auto found = requests_.find(RequestId(static_cast<std::uint64_t>(
      event.fields.has(Field::request) ? event.fields[Field::request] : 0)));
  if (found == requests_.end() || found->second.prepared() == nullptr) return;
  Request& request = found->second;
  Request::Rare& rare = *request.rare;
  if (action == Action::PartitionArrived) {
    const auto index = static_cast<std::size_t>(event.fields[Field::first_partition]);
    OpenAccess* const arrived = request.accesses.at(index);
    if (event.fields[Field::flag] == 0 || arrived == nullptr) return;
    Access done = arrived->access();
    *arrived = {};
    // The partition's store is complete then, and everything before its MPI_Pready is known.
    if (keeps_edges_ && !rare.acquires.empty())
      acquire_part(rare.acquires.front().first,
                   std::max<std::int64_t>(1, rare.prepared->fields[Field::partitions]),
                   static_cast<std::int64_t>(index));
    close_now(done, event.site);
    return;
  }
  std::vector<std::int64_t> partitions = event.numbers;
  if (partitions.empty()) {
    const std::int64_t first = event.fields[Field::first_partition];
    const std::int64_t last =
        event.fields.has(Field::last_partition) ? event.fields[Field::last_partition] : first;
    for (std::int64_t i = first; i <= last; ++i) partitions.push_back(i);
  }
  const Event& prepared = *rare.prepared;
  const WorldRank to = rank_in(prepared, Field::to);
  const std::uint64_t key =
      edge_key(Channel::Partition, request.comm->uid.value, static_cast<std::uint32_t>(rank_.value),
               static_cast<std::uint32_t>(to.value), prepared.fields[Field::send_tag], rare.number,
               rare.starts);
  release(key, start_);
  const std::int64_t count = std::max<std::int64_t>(1, prepared.fields[Field::partitions]);
  if (keeps_edges_)
    for (const std::int64_t i : partitions) release_part(request, key, count, i);
  // The receive completes when all partitions are ready.
  rare.ready += partitions.size();
  if (rare.ready == static_cast<std::uint64_t>(count) && sink_ != nullptr && to.value >= 0 &&
      !request.comm->has_external_ranks)
    report_release(key, 1, true, event.site);
  for (const Buffer& whole : prepared.buffers)
    for (const std::int64_t i : partitions) {
      Buffer part = whole;
      part.count = whole.count / count;
      const auto type = definitions_.types.find(whole.type);
      part.address += static_cast<std::uint64_t>(
          i * part.count * (type != definitions_.types.end() ? type->second.map.extent : 1));
      request.accesses.add(opened(make(event, AccessKind::Load, part, true)));
    }
}

// Whether the call polls: it would have returned with nothing, or with another request, if this one
// were incomplete.
bool Timeline::asks(const Event& event) {
  const auto& [name, action, when] = traits(event.call);
  if (when != When::Blocks) return true;
  if (action != Action::WaitAny && action != Action::WaitSome) return false;
  return std::count_if(event.requests.begin(), event.requests.end(),
                       [&](RequestId id) { return requests_.contains(id); }) > 1;
}

void Timeline::completion(const Event& event, Action action) {
  asked_ = asks(event);
  complete_those(event, action);
  asked_ = false;
}

void Timeline::complete_those(const Event& event, Action action) {
  if (action == Action::RequestStatus) {
    if (!event.fields.has(Field::request) || event.fields[Field::flag] == 0) return;
    const auto found =
        requests_.find(RequestId(static_cast<std::uint64_t>(event.fields[Field::request])));
    if (found == requests_.end()) return;
    Request& request = found->second;
    completed_request(found->first);
    // A later completion by another task follows what this one has learned.
    if (tasks_ != nullptr)
      tasks_->release(task_, edge_key(Channel::Request, found->first.value), return_ + 1, false);
    close_all(request, event.site);
    acquire_all(request);
    report_over(request, event.site);
    if (request.receive != nullptr && event.fields.has(Field::matched_from)) {
      received(*request.comm, request.receive, rank_in(event, Field::matched_from),
               event.fields[Field::matched_tag], event.site);
      request.receive.reset();
    }
    return;
  }
  if (action == Action::RequestFree) {
    for (const RequestId id : event.requests) {
      const auto found = requests_.find(id);
      if (found == requests_.end()) continue;
      close_all(found->second, event.site);
      if (found->second.send != 0) report(MessageStep::Kind::Free, found->second.send, event.site);
      if (Posted* const receive = found->second.receive.get()) {
        receive->freed = true;
        report_taken(*found->second.comm, *receive);
      }
      requests_.erase(found);
    }
    return;
  }
  for (const Completion& completion : event.completions) {
    if (completion.index >= event.requests.size()) continue;
    const auto found = requests_.find(event.requests[completion.index]);
    if (found == requests_.end()) continue;
    completed_request(found->first);
    complete(found->second, &completion, event);
    if (found->second.prepared() != nullptr) continue;
    if (tasks_ != nullptr) tasks_->forget(edge_key(Channel::Request, found->first.value));
    requests_.erase(found);
  }
}

void Timeline::complete(Request& request, const Completion* completion, const Event& event) {
  close_all(request, event.site);
  const bool receive = request.receive != nullptr;
  if (receive) {
    if (completion->cancelled || completion->from.value < 0)
      withdraw(*request.comm, request.receive, event.site);
    else
      received(*request.comm, request.receive, completion->from, completion->tag, event.site);
    request.receive.reset();
  }
  acquire_all(request);
  if (completion->cancelled && !receive) withdraw_send(request, event.site);
  report_over(request, event.site);
  if (request.rare != nullptr && request.rare->operation != 0) finish_request(request, event);
}

void Timeline::open_all(Request& request, std::vector<Access> accesses) {
  request.accesses.clear();
  for (Access& access : accesses) request.accesses.add(opened(std::move(access)));
}

void Timeline::close_all(Request& request, SiteId site) {
  request.accesses.each([&](const OpenAccess& open) {
    Access access = open.access();
    close_now(access, site);
  });
  request.accesses.clear();
}

void Timeline::acquire_all(Request& request) {
  if (request.rare == nullptr) return;
  for (const auto& [key, position] : request.rare->acquires) acquire(key, return_, position);
  request.rare->acquires.clear();
}

// Open accesses of one site differ mainly in their address; the rest is shared.
Timeline::OpenAccess Timeline::opened(Access access) {
  OpenAccess open{nullptr,
                  access.begin,
                  access.footprint.shift(),
                  access.footprint.length(),
                  std::exchange(access.serial, 0),
                  std::exchange(access.part, 0),
                  std::exchange(access.reachable, false)};
  if (access.footprint.empty()) return open;  // no access
  std::shared_ptr<const Access>& like = like_[access.site.value % like_.size()];
  const auto is_like = [&](const Access& other) {
    return other.kind == access.kind && other.owner == access.owner &&
           other.pending == access.pending && other.call == access.call &&
           other.site == access.site && other.site_key == access.site_key &&
           other.after == access.after && other.known == access.known &&
           other.locks == access.locks && other.win == access.win &&
           other.footprint.shared() == access.footprint.shared();
  };
  if (like == nullptr || !is_like(*like)) like = std::make_shared<const Access>(std::move(access));
  open.like = like;
  return open;
}

}  // namespace photofinish
