// Messages, and the completion of all requests.
#include "frontend/mpi/table/mpi_call.h"
#include "simulator_state.h"

namespace photofinish::testing {

int Simulator::pick_comm(int rank, std::uint8_t a) const {
  const int comm = a % 4 == 3 ? 1 : a % 4 == 2 ? 2 : 0;
  const auto& members = script_.members(comms_[static_cast<std::size_t>(comm)].ref);
  return std::find(members.begin(), members.end(), rank) != members.end() ? comm : 0;
}

int Simulator::pick_peer(int rank, int comm, std::uint8_t byte) const {
  const auto& members = script_.members(comms_[static_cast<std::size_t>(comm)].ref);
  const int peer = members[byte % members.size()];
  if (peer != rank || byte >= 0xe0) return peer;  // rarely to itself
  return members[(byte + 1u) % members.size()];
}

Got Simulator::got_message(std::size_t message) const {
  return {mail_.messages[message].from, mail_.messages[message].tag, 8};
}
Got Simulator::got(std::size_t post) const { return got_message(*mail_.posted[post].message); }

void Simulator::add_request(Ref made, Request request) {
  request.ref = script_.request(made);
  request.rank = made.rank;
  requests_.push_back(request);
}

void Simulator::send(const Step& step) {
  const int rank = below(ranks(), step.rank), comm = pick_comm(rank, step.a);
  const int to = step.d == 0xff ? kProcNull.value : pick_peer(rank, comm, step.b);
  const std::int64_t tag = step.c % 2;
  const bool arrives = step.c % 8 < 6;
  static constexpr Call kCalls[] = {MpiCall::MPI_Send,   MpiCall::MPI_Isend, MpiCall::MPI_Issend,
                                    MpiCall::MPI_Bsend,  MpiCall::MPI_Isend, MpiCall::MPI_Ssend,
                                    MpiCall::MPI_Ibsend, MpiCall::MPI_Rsend};
  const Call call = kCalls[step.c / 8 % 8];
  if (to == kProcNull.value) {
    script_.send(rank, MpiCall::MPI_Send, to, tag, pick_buffer(step.d, 8));
    return;
  }
  const Ref made = next_event(rank);
  if (call == MpiCall::MPI_Ssend ||
      call == MpiCall::MPI_Rsend) {  // only if a matching receive is posted
    Mailbox tried = mail_;
    const std::size_t message = tried.send(made, comm, to, tag, true);
    if (!tried.messages[message].received) return;
    mail_ = std::move(tried);
    script_.send(rank, call, to, tag, pick_buffer(step.d, 8),
                 comms_[static_cast<std::size_t>(comm)].ref);
    return;
  }
  const std::size_t message = mail_.send(made, comm, to, tag, arrives);
  script_.send(rank, call, to, tag, pick_buffer(step.d, 8),
               comms_[static_cast<std::size_t>(comm)].ref);
  if (traits(call).when == When::Starts)
    add_request(made, {.kind = call == MpiCall::MPI_Issend ? Request::Kind::SynchronousSend
                                                           : Request::Kind::Send,
                       .message = message});
}

namespace {

int wanted_source(int peer, std::uint8_t b) { return b % 8 < 3 ? kAnySource.value : peer; }
std::int64_t wanted_tag(std::uint8_t c) { return c % 4 == 3 ? kAnyTag : c % 2; }

}  // namespace

void Simulator::receive(const Step& step) {
  const int rank = below(ranks(), step.rank), comm = pick_comm(rank, step.a);
  const int from = wanted_source(pick_peer(rank, comm, step.b), step.d);
  const std::int64_t tag = wanted_tag(step.c);
  Mailbox tried = mail_;
  const std::size_t post = tried.post(next_event(rank), comm, from, tag);
  if (!tried.deliver_until(comm, rank, ranks(), step.b,
                           [&] { return tried.posted[post].message.has_value(); }))
    return;
  mail_ = std::move(tried);
  script_.receive(rank, from, tag, pick_buffer(step.d, 8), got(post),
                  comms_[static_cast<std::size_t>(comm)].ref);
}

void Simulator::post_receive(const Step& step) {
  const int rank = below(ranks(), step.rank), comm = pick_comm(rank, step.a);
  const int from = wanted_source(pick_peer(rank, comm, step.b), step.d);
  const std::int64_t tag = wanted_tag(step.c);
  const std::size_t post = mail_.post(next_event(rank), comm, from, tag);
  const Ref made = script_.receive(rank, MpiCall::MPI_Irecv, from, tag, pick_buffer(step.d, 8),
                                   comms_[static_cast<std::size_t>(comm)].ref);
  add_request(made, {.kind = Request::Kind::Receive, .post = post, .comm = comm});
}

// A synchronous send and a receive that wait for each other.
void Simulator::rendezvous(const Step& step) {
  const int rank = below(ranks(), step.rank), comm = pick_comm(rank, step.a),
            to = pick_peer(rank, comm, step.b);
  if (to == rank) return;
  const std::int64_t tag = step.c % 2;
  const int from = wanted_source(rank, step.d);
  Mailbox tried = mail_;
  const std::size_t post = tried.post(next_event(to), comm, from, tag);
  const std::size_t message = tried.send(next_event(rank), comm, to, tag, true);
  if (!tried.posted[post].message || !tried.messages[message].received) return;
  mail_ = std::move(tried);
  const CommRef ref = comms_[static_cast<std::size_t>(comm)].ref;
  script_.send(rank, MpiCall::MPI_Ssend, to, tag, pick_buffer(step.d, 8), ref);
  script_.receive(to, from, tag, pick_buffer(step.c, 8), got(post), ref);
}

// Two ranks exchange messages in one call each.
void Simulator::exchange(const Step& step) {
  const int rank = below(ranks(), step.rank), comm = pick_comm(rank, step.a),
            peer = pick_peer(rank, comm, step.b);
  if (peer == rank) return;
  const std::int64_t tag = step.c % 2;
  Mailbox tried = mail_;
  const std::size_t here = tried.post(next_event(rank), comm, peer, tag),
                    there = tried.post(next_event(peer), comm, rank, tag);
  tried.send(next_event(rank), comm, peer, tag, true);
  tried.send(next_event(peer), comm, rank, tag, true);
  if (!tried.posted[here].message || !tried.posted[there].message) return;
  mail_ = std::move(tried);
  const CommRef ref = comms_[static_cast<std::size_t>(comm)].ref;
  script_.send_receive(rank, peer, pick_buffer(step.d, 8), peer, pick_buffer(step.c, 8), tag,
                       got(here), ref);
  if (step.c % 4 < 2)
    script_.send_receive(peer, rank, pick_buffer(step.d, 8), rank, pick_buffer(step.c, 8), tag,
                         got(there), ref);
  else
    script_.send_receive_replace(peer, rank, rank, pick_buffer(step.d, 8), tag, got(there), ref);
}

void Simulator::probe(const Step& step) {
  const int rank = below(ranks(), step.rank), comm = pick_comm(rank, step.a);
  const int from = wanted_source(pick_peer(rank, comm, step.b), step.d);
  const std::int64_t tag = wanted_tag(step.c);
  std::optional<std::size_t> seen = mail_.find_waiting(comm, rank, from, tag);
  if (!seen && step.d % 4 != 0)
    mail_.deliver_until(comm, rank, ranks(), step.b, [&] {
      return (seen = mail_.find_waiting(comm, rank, from, tag)).has_value();
    });
  const CommRef ref = comms_[static_cast<std::size_t>(comm)].ref;
  if (!seen && step.d % 8 != 0) return;  // another rank may find a message
  if (!seen)
    script_.probe(rank, MpiCall::MPI_Iprobe, from, tag, {}, ref);
  else
    script_.probe(rank, step.b % 2 == 0 ? MpiCall::MPI_Probe : MpiCall::MPI_Iprobe, from, tag,
                  got_message(*seen), ref);
  if (!seen && step.c % 4 == 0) script_.repeated(rank, MpiCall::MPI_Iprobe, 3);
}

void Simulator::matched_probe(const Step& step) {
  const int rank = below(ranks(), step.rank);
  auto& held = probed_[rank];
  if (!held.empty()) {
    const auto [probe, message] = held.back();
    held.pop_back();
    mail_.messages[message].received = true;
    script_.matched_receive(rank, probe, pick_buffer(step.d, 8), got_message(message));
    return;
  }
  const int comm = pick_comm(rank, step.a),
            from = wanted_source(pick_peer(rank, comm, step.b), step.d);
  const std::int64_t tag = wanted_tag(step.c);
  std::optional<std::size_t> seen;
  if (!mail_.deliver_until(comm, rank, ranks(), step.b, [&] {
        return (seen = mail_.find_waiting(comm, rank, from, tag)).has_value();
      }))
    return;
  const Ref made =
      script_.probe(rank, step.c % 2 == 0 ? MpiCall::MPI_Mprobe : MpiCall::MPI_Improbe, from, tag,
                    got_message(*seen), comms_[static_cast<std::size_t>(comm)].ref);
  mail_.take(*seen, made);
  held.push_back({made, *seen});
}

void Simulator::deliver(const Step& step) {
  const int rank = below(ranks(), step.rank), comm = pick_comm(rank, step.a);
  mail_.deliver(comm, pick_peer(rank, comm, step.b), rank);
}

// --- persistent

void Simulator::prepare(const Step& step) {
  const int rank = below(ranks(), step.rank), comm = pick_comm(rank, step.a),
            peer = pick_peer(rank, comm, step.b);
  Request request{.persistent = true,
                  .active = false,
                  .comm = comm,
                  .data = pick_buffer(step.d, 8),
                  .peer = peer,
                  .tag = step.c % 2};
  const CommRef ref = comms_[static_cast<std::size_t>(comm)].ref;
  if (step.c / 4 % 2 == 0) {
    request.kind = Request::Kind::Receive;
    request.peer = wanted_source(peer, step.d);
    add_request(
        script_.receive(rank, MpiCall::MPI_Recv_init, request.peer, request.tag, request.data, ref),
        request);
  } else {
    const bool synchronous = step.c / 8 % 2 == 0;
    request.kind = synchronous ? Request::Kind::SynchronousSend : Request::Kind::Send;
    add_request(script_.send(rank, synchronous ? MpiCall::MPI_Ssend_init : MpiCall::MPI_Send_init,
                             peer, request.tag, request.data, ref),
                request);
  }
}

void Simulator::begin_persistent(Request& request, Ref start) {
  request.active = true;
  request.released_done = false;
  if (request.kind == Request::Kind::Receive)
    request.post = mail_.post(start, request.comm, request.peer, request.tag);
  else
    request.message = mail_.send(start, request.comm, request.peer, request.tag, true);
}

void Simulator::start(const Step& step) {
  const int rank = below(ranks(), step.rank);
  std::vector<RequestRef> started;
  const Ref now = next_event(rank);
  for (Request& request : requests_) {
    if (request.rank != rank || !request.persistent || request.active) continue;
    begin_persistent(request, now);
    started.push_back(request.ref);
    if (step.b % 2 == 0) break;
  }
  if (!started.empty()) script_.start(rank, started);
}

// --- completion

std::vector<std::size_t> Simulator::active_requests(int rank) const {
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < requests_.size(); ++i)
    if (requests_[i].rank == rank && requests_[i].active) active.push_back(i);
  return active;
}

bool Simulator::can_complete(Request& request, std::uint8_t hint) {
  switch (request.kind) {
    case Request::Kind::Send:
    case Request::Kind::OneSided:
      return true;
    case Request::Kind::SynchronousSend: {
      const Mailbox::Message& message = mail_.messages[request.message];
      mail_.deliver_all(message.comm, message.from, message.to);
      return mail_.messages[request.message].received;
    }
    case Request::Kind::Receive:
      return mail_.deliver_until(request.comm, request.rank, ranks(), hint,
                                 [&] { return mail_.posted[request.post].message.has_value(); });
    case Request::Kind::Collective: {
      const Comm& comm = comms_[static_cast<std::size_t>(request.comm)];
      return all_it_needs(comm, comm.instances[request.instance], request.rank);
    }
  }
  return false;
}

Done Simulator::complete(Request& request) {
  request.active = false;
  return {request.ref, request.kind == Request::Kind::Receive ? got(request.post) : Got{}};
}

void Simulator::wait(const Step& step) {
  const int rank = below(ranks(), step.rank);
  const std::vector<std::size_t> active = active_requests(rank);
  for (std::size_t i = 0; i < active.size(); ++i) {
    Request& request = requests_[active[(i + step.b) % active.size()]];
    if (!can_complete(request, step.c)) continue;
    const Done done = complete(request);
    const Ref made = script_.wait(rank, MpiCall::MPI_Wait, {request.ref}, {done});
    if (request.kind == Request::Kind::OneSided)
      report(made, operations_[request.operation], false);
    return;
  }
}

void Simulator::test(const Step& step) {
  const int rank = below(ranks(), step.rank);
  const std::vector<std::size_t> active = active_requests(rank);
  if (active.empty()) return;
  Request& request = requests_[active[step.b % active.size()]];
  if (step.c % 4 == 0 || !can_complete(request, step.c)) {
    script_.wait(rank, MpiCall::MPI_Test, {request.ref}, {}, false);
    if (step.c % 3 == 0) script_.repeated(rank, MpiCall::MPI_Test, 5);
    return;
  }
  const Done done = complete(request);
  const Ref made = script_.wait(rank, MpiCall::MPI_Test, {request.ref}, {done}, true);
  if (request.kind == Request::Kind::OneSided) report(made, operations_[request.operation], false);
}

void Simulator::wait_all(const Step& step) {
  const int rank = below(ranks(), step.rank);
  std::vector<RequestRef> given;
  std::vector<Done> done;
  std::vector<std::size_t> fetched;
  bool all = true;
  for (const std::size_t index : active_requests(rank)) {
    Request& request = requests_[index];
    const bool can = can_complete(request, step.c);
    all = all && can;
    if (!can && step.b % 2 == 0) continue;
    given.push_back(request.ref);
  }
  if (given.empty()) return;
  if (!all && step.b % 2 != 0) {  // with one that cannot complete: none is
    script_.wait(rank, MpiCall::MPI_Testall, given, {}, false);
    return;
  }
  for (Request& request : requests_)
    if (request.rank == rank && request.active &&
        std::any_of(given.begin(), given.end(),
                    [&](const RequestRef& ref) { return ref.id == request.ref.id; })) {
      done.push_back(complete(request));
      if (request.kind == Request::Kind::OneSided) fetched.push_back(request.operation);
    }
  const Ref made = step.d % 2 == 0 ? script_.wait(rank, MpiCall::MPI_Waitall, given, done)
                                   : script_.wait(rank, MpiCall::MPI_Testall, given, done, true);
  for (const std::size_t operation : fetched) report(made, operations_[operation], false);
}

void Simulator::wait_some(const Step& step) {
  const int rank = below(ranks(), step.rank);
  const std::vector<std::size_t> active = active_requests(rank);
  std::vector<RequestRef> given;
  std::vector<Done> done;
  std::vector<std::size_t> fetched;
  const bool only_one = step.b % 2 == 0;
  for (std::size_t i = 0; i < active.size(); ++i) {
    Request& request = requests_[active[(i + step.c) % active.size()]];
    given.push_back(request.ref);
    if ((only_one && !done.empty()) || !can_complete(request, step.c)) continue;
    if (request.kind == Request::Kind::OneSided) fetched.push_back(request.operation);
    done.push_back(complete(request));
  }
  if (done.empty()) return;
  static constexpr Call kCalls[] = {MpiCall::MPI_Waitany, MpiCall::MPI_Waitsome,
                                    MpiCall::MPI_Testany, MpiCall::MPI_Testsome};
  const Call call = kCalls[(only_one ? 0 : 1) + step.d % 2 * 2];
  const Ref made = script_.wait(rank, call, given, done,
                                call == MpiCall::MPI_Testany ? std::optional(true) : std::nullopt);
  for (const std::size_t operation : fetched) report(made, operations_[operation], false);
}

void Simulator::get_status(const Step& step) {
  const int rank = below(ranks(), step.rank);
  const std::vector<std::size_t> active = active_requests(rank);
  if (active.empty()) return;
  Request& request = requests_[active[step.b % active.size()]];
  if (request.kind == Request::Kind::OneSided) return;
  const bool done = request.released_done || (step.c % 4 != 0 && can_complete(request, step.c));
  request.released_done = done;
  script_.get_status(rank, request.ref, done,
                     done && request.kind == Request::Kind::Receive ? got(request.post) : Got{});
}

// Frees active sends and inactive persistent requests. Receives without a match are cancelled.
void Simulator::free_request(const Step& step) {
  const int rank = below(ranks(), step.rank);
  for (Request& request : requests_) {
    if (step.b % 2 == 0 || request.rank != rank || !request.active ||
        request.kind != Request::Kind::Receive)
      continue;
    if (mail_.posted[request.post].message) continue;
    mail_.posted[request.post].rank = kProcNull.value;
    request.active = false;
    script_.cancel(rank, request.ref);
    return;
  }
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const Request& request = requests_[i];
    if (request.rank != rank ||
        (request.active ? request.kind != Request::Kind::Send : !request.persistent))
      continue;
    script_.free_request(rank, request.ref);
    requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

void Simulator::complete_receives() {
  for (int rank = 0; rank < ranks(); ++rank) {
    std::vector<RequestRef> given;
    std::vector<Done> done;
    for (Request& request : requests_)
      if (request.rank == rank && request.active && request.kind == Request::Kind::Receive &&
          mail_.posted[request.post].message) {
        given.push_back(request.ref);
        done.push_back(complete(request));
      }
    if (!given.empty()) script_.wait(rank, MpiCall::MPI_Waitall, given, done);
  }
}

}  // namespace photofinish::testing
