#include "frontend/mpi/meaning/matching.h"

#include <algorithm>

namespace photofinish::mpi_meaning {

namespace {

std::uint64_t matched_key(MessageId message) { return edge_key(Channel::Matched, message.value); }

}  // namespace

// Fast path for blocking receives that no unsettled receive precedes.
bool Matching::receive_at_once(const Event& event, Comm& comm) {
  if (!comm.unsettled.empty() || !event.fields.has(Field::matched_tag)) return false;
  Posted posted;
  posted.from = event.fields.rank(Field::matched_from);
  if (posted.from == kProcNull) return false;
  posted.tag = event.fields[Field::matched_tag];
  posted.posted = effects_.start();
  posted.completed = effects_.return_time();
  posted.posted_phase = effects_.phase_at_start();
  posted.phase = effects_.sync_points_done();
  posted.known = effects_.note_release(effects_.phase_at_start());
  effects_.note_acquire();
  posted.index = comm.taken[{posted.from, posted.tag}]++;
  if (!effects_.wants_messages() && !effects_.keeps_edges()) return true;
  const MessageKey key =
      message_key(Channel::Message, comm.uid, posted.from, rank_, posted.tag, posted.index);
  if (effects_.wants_messages()) steps_.received(event, comm, key);
  if (!effects_.keeps_edges()) return true;
  report_sender(comm, posted);
  if (posted.from.value >= 0)
    effects_.add_edge(posted.phase, {posted.completed, key, true, kEveryPosition});
  return true;
}

std::uint64_t Matching::send(const Event& event, Comm& comm, Request* request) {
  const WorldRank to = event.fields.rank(Field::to);
  if (to.value < 0) return 0;
  const std::int64_t tag = event.fields[Field::send_tag];
  const std::uint64_t index = comm.sent[{to, tag}]++;
  if (request != nullptr)
    request->sent_to = to, request->sent_tag = tag, request->sent_index = index;
  if (!effects_.wants_messages() && !effects_.keeps_edges()) return 0;
  const MessageKey message = message_key(Channel::Message, comm.uid, rank_, to, tag, index);
  effects_.release(message);
  const bool at_once = request == nullptr && traits(event.call).action == Action::Send;
  const std::uint64_t reported =
      effects_.wants_messages() ? steps_.send(event, comm, to, message, at_once) : 0;
  if (request != nullptr) request->send = reported;
  if (mode_of(event.call) != SendMode::Synchronous) return reported;
  const std::uint64_t key = message_key(Channel::Rendezvous, comm.uid, rank_, to, tag, index);
  if (request != nullptr)
    request->rarely().acquires.emplace_back(key, kEveryPosition);
  else
    effects_.acquire(key);
  return reported;
}

std::shared_ptr<Posted> Matching::post_receive(const Event& event, Comm& comm, WorldRank from,
                                               std::int64_t tag) {
  auto posted = std::make_shared<Posted>();
  posted->from = from;
  posted->tag = tag;
  posted->posted = effects_.start();
  posted->posted_phase = effects_.phase_at_start();
  posted->known = effects_.note_release(effects_.phase_at_start());
  if (steps_.wanted()) posted->operation = steps_.receive(comm, from, tag, event.site);
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

void Matching::received(Comm& comm, const std::shared_ptr<Posted>& posted, WorldRank from,
                        std::int64_t tag, SiteId site) {
  steps_.complete(*posted, site);
  posted->completed = effects_.return_time();
  posted->phase = effects_.sync_points_done();
  effects_.note_acquire();
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

// A receive that wanted `wanted` was removed, or can now take fewer messages. Assigns message
// numbers to the receives from which no earlier receive can take a message any more.
void Matching::settle(Comm& comm, const Wanted& wanted) {
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
      steps_.taken(comm, posted);
  });
}

void Matching::arrived(Comm& comm, const Posted& posted) {
  if (posted.from.value < 0) return;
  const MessageKey key =
      message_key(Channel::Message, comm.uid, posted.from, rank_, posted.tag, posted.index);
  effects_.add_edge(posted.phase, {posted.completed, key, true, kEveryPosition});
  if (posted.operation != 0) effects_.sink()->took(posted.operation, key);
  if (posted.matched_probe)
    probed_[posted.message] =
        message_key(Channel::Rendezvous, comm.uid, posted.from, rank_, posted.tag, posted.index);
}

// A posted receive ends the wait of a synchronous send, whenever the receive itself completes.
void Matching::report_sender(Comm& comm, Posted& posted) {
  if (posted.reported || !posted.takes || posted.matched_probe || posted.from.value < 0) return;
  posted.reported = true;
  effects_.add_edge(posted.posted_phase, {posted.posted,
                                          message_key(Channel::Rendezvous, comm.uid, posted.from,
                                                      rank_, posted.tag, posted.index),
                                          false, 0, false, posted.known});
}

// For receives with an unknown match in phases that are about to be taken: adds guessed edges for
// all matches that they may have.
void Matching::guess_unsettled() {
  comms_.each([&](Comm& comm) {
    const auto& in_order = comm.unsettled.in_order();
    for (auto it = in_order.begin(); it != in_order.end(); ++it) {
      if (*it == nullptr) continue;
      const Posted& posted = **it;
      if (posted.takes && !posted.matched_probe)
        effects_.add_edge(posted.posted_phase,
                          {posted.posted, unsettled_key(), false, 0, true, posted.known});
      if (posted.completed == 0 || posted.wild() || posted.from.value < 0) continue;
      const auto contenders = std::count_if(in_order.begin(), it, [&](const auto& earlier) {
        return earlier != nullptr && earlier->could_take(posted.from, posted.tag);
      });
      const std::uint64_t first = comm.taken[{posted.from, posted.tag}];
      for (std::uint64_t index = first; index <= first + static_cast<std::uint64_t>(contenders);
           ++index)
        effects_.add_edge(posted.phase, {posted.completed,
                                         message_key(Channel::Message, comm.uid, posted.from, rank_,
                                                     posted.tag, index),
                                         true, kEveryPosition, true});
    }
  });
}

// A receive that was cancelled: later ones take its number.
void Matching::withdraw(Comm& comm, const std::shared_ptr<Posted>& posted, SiteId site) {
  if (posted->operation != 0) steps_.report(MessageStep::Kind::Cancel, posted->operation, site);
  steps_.complete(*posted, site);
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

// A send that was cancelled: the next one takes its number, unless another send has followed.
void Matching::withdraw_send(Request& request, SiteId site) {
  if (request.comm == nullptr || request.sent_to.value < 0) return;
  std::uint64_t& sent = request.comm->sent[{request.sent_to, request.sent_tag}];
  if (sent == request.sent_index + 1) --sent;
  if (request.send == 0) return;
  MessageStep cancelled = steps_.step(MessageStep::Kind::Cancel, site);
  cancelled.operation = std::exchange(request.send, 0);
  cancelled.carries = false;
  effects_.sink()->step(std::move(cancelled));
}

void Matching::probe(const Event& event, Action action, bool asked) {
  if (event.fields.has(Field::flag) && event.fields[Field::flag] == 0) return;
  const WorldRank from = event.fields.rank(Field::matched_from);
  if (from.value < 0 || !event.fields.has(Field::matched_tag)) return;
  Comm& comm = comms_.at(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
  auto posted = std::make_shared<Posted>();
  posted->from = from;
  posted->tag = event.fields[Field::matched_tag];
  posted->posted = effects_.start();
  posted->posted_phase = effects_.phase_at_start();
  posted->phase = effects_.sync_points_done();
  effects_.note_acquire();
  posted->completed = effects_.return_time();
  posted->done = true;
  posted->takes = action == Action::MatchedProbe;
  if (posted->takes && event.fields.has(Field::message)) {
    posted->matched_probe = true;
    posted->message = MessageId(static_cast<std::uint64_t>(event.fields[Field::message]));
    // The task that receives the message uses the handle from this probe, so it is ordered after
    // it.
    effects_.task_release(matched_key(posted->message), At::Return);
  }
  steps_.asked = asked;
  if (steps_.wanted()) steps_.probe(event, action, comm, *posted);
  steps_.asked = false;
  const Wanted seen{posted->from, posted->tag};
  comm.unsettled.add(std::move(posted));
  settle(comm, seen);
}

void Matching::take_probed(const Event& event) {
  if (!event.fields.has(Field::message)) return;
  const MessageId message(static_cast<std::uint64_t>(event.fields[Field::message]));
  effects_.task_acquire(matched_key(message));
  if (const auto found = probed_.find(message); found != probed_.end()) {
    effects_.release(found->second);
    probed_.erase(found);
    return;
  }
  // It is not known yet which of several messages the probe matched.
  const SyncPoint phase = effects_.phase_at_start();
  effects_.add_edge(
      phase, {effects_.start(), unsettled_key(), false, 0, true, effects_.note_release(phase)});
}

}  // namespace photofinish::mpi_meaning
