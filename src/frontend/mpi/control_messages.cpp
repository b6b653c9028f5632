// Of a confirming run: a receive from any source is made to take another message than it took.
#include <chrono>
#include <limits>
#include <thread>

#include "frontend/mpi/control_step.h"
#include "frontend/mpi/datatypes.h"

namespace photofinish::mpi {
namespace {

constexpr std::uint32_t kMessageUnits =
    10;  // of pause_ms: a receive waits for the message that it had when it was recorded

}  // namespace

bool Control::is_steered_receive(const Context& c) const {
  const CallTraits& call = traits(c.call);
  return rank_ == schedule_.sides[0].rank && takes_messages(call.action) &&
         call.when != When::Prepares && c.from == MPI_ANY_SOURCE && c.comm != nullptr;
}

// The rank's receives get what they got when it was recorded, so that it comes to the one in
// question as it did then; that one gets the other message.
void Control::choose_message(Context& c) {
  if (!is_steered_receive(c)) return;
  const auto chosen = choose(*c.comm, c.comm_handle, traits(c.call).when,
                             c.event.fields[Field::recv_tag] == kAnyTag);
  if (!chosen) return;
  t_step.steered = true;
  t_step.source = chosen->source;
  t_step.tag = chosen->tag;
}

// What the next receive or probe from any source is to ask for; nothing: what the program asks for.
// One that takes any tag takes the first message of its source, whatever its tag: messages do not
// overtake. So its tag is left alone, and that message must be the wanted one.
std::optional<Control::Chosen> Control::choose(const CommRecord& comm, MPI_Comm handle, When when,
                                               bool any_tag) {
  if (!follows_ || wildcards_ >= schedule_.matches.size()) return std::nullopt;
  const bool is_it = wildcards_ == schedule_.steered, behind = wildcards_ > schedule_.steered;
  // One that does not wait may ask for what comes later; but behind the one in question the program
  // may have gone another way.
  if (behind && when == When::Starts) return std::nullopt;
  const Schedule::Match& match = schedule_.matches[wildcards_];
  int source = 0;
  while (source < comm.peers().size() && comm.peers().world(source) != match.source) ++source;
  if (source == comm.peers().size()) return std::nullopt;
  const bool wants_tag = match.tag != kAnyTag;
  const int tag = wants_tag && !any_tag ? static_cast<int>(match.tag) : MPI_ANY_TAG;
  if (message_since_ == 0) message_since_ = now_ns();
  const std::uint64_t limit =
      (is_it ? schedule_.patience_ms : kMessageUnits * schedule_.unit_ms) * kMs;
  int flag = 0;
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  quiet_since_ = now_ns();
  while (true) {
    MPI_Status first;
    REAL(PMPI_Iprobe)(source, tag, handle, &flag, &first);
    if (flag != 0 && wants_tag && first.MPI_TAG != match.tag) flag = 0;
    if (flag != 0 || now_ns() - message_since_ > limit || all_others_wait()) break;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  if (is_it) ++account_->reached[0];
  if (is_it && flag != 0) ++account_->reached[1];
  // One that waits would perhaps do so for ever.
  if (flag == 0 && when != When::Starts) {
    follows_ = follows_ && !behind;
    return std::nullopt;
  }
  return Chosen{source, tag};
}

void Control::remember_persistent(const Context& c) {
  if (rank_ != schedule_.sides[0].rank || traits(c.call).action != Action::Receive ||
      c.from != MPI_ANY_SOURCE || c.comm == nullptr || c.new_request == nullptr)
    return;
  if (c.recv.count > std::numeric_limits<int>::max()) return;
  const std::int64_t tag = c.event.fields[Field::recv_tag];
  persistent_[c.new_request->id] = {const_cast<void*>(c.recv.address),
                                    static_cast<int>(c.recv.count),
                                    keep_type(c.recv.type),
                                    tag == kAnyTag ? MPI_ANY_TAG : static_cast<int>(tag),
                                    c.comm_handle,
                                    c.comm,
                                    c.new_request->handle};
}

// Each start is a receive. The program knows the request by its variable; where it uses a copy of
// it, nothing is changed.
void Control::choose_for_starts(Context& c) {
  for (int i = 0; i < c.request_count && !persistent_.empty(); ++i) {
    const RequestId id = c.event.requests[static_cast<std::size_t>(i)];
    const auto found = persistent_.find(id);
    if (found == persistent_.end()) continue;
    const Persistent& of = found->second;
    const bool is_it = wildcards_ == schedule_.steered;
    const auto chosen = choose(*of.comm, of.comm_handle, When::Starts, of.tag == MPI_ANY_TAG);
    ++wildcards_;
    message_since_ = 0;
    RequestRecord* const record = Objects::get().find_request(c.requests[i], c.requests + i);
    if (record == nullptr || record->id != id || record->variable != c.requests + i) continue;
    MPI_Request ask = of.from_any;
    if (chosen && REAL(PMPI_Recv_init)(of.address, of.count, of.type, chosen->source,
                                       of.tag == MPI_ANY_TAG ? chosen->tag : of.tag, of.comm_handle,
                                       &ask) != MPI_SUCCESS)
      ask = of.from_any;
    if (is_it && ask != of.from_any) awaited_request_ = id.value;
    if (ask == c.requests[i]) continue;
    Objects::get().take_request(c.requests[i], c.requests + i);
    record->handle = ask;
    Objects::get().put_request(ask, record);
    MPI_Request before = std::exchange(c.requests[i], ask);
    if (before != of.from_any) REAL(PMPI_Request_free)(&before);
  }
}

void Control::check_message(Context& c) {
  const bool took = is_steered_receive(c) && (c.flag == nullptr || *c.flag != 0);
  const bool is_it = took && wildcards_ == schedule_.steered;
  const WorldRank wanted = schedule_.matches[schedule_.steered].source;
  const FieldSet& fields = c.event.fields;
  if (took) {
    ++wildcards_;
    message_since_ = 0;
  }
  bool got =
      is_it && fields.has(Field::matched_from) && fields[Field::matched_from] == wanted.value;
  if (is_it && t_step.steered && fields.has(Field::request))
    awaited_request_ = static_cast<std::uint64_t>(fields[Field::request]);
  for (const Completion& done : c.event.completions) {
    if (awaited_request_ == 0 || c.event.requests[done.index].value != awaited_request_) continue;
    got |= done.from == wanted;
    awaited_request_ = 0;  // a persistent one comes again
  }
  if (!got || account_->met != 0) return;
  account_->met = account_->forced = 1;
  account_->ranks[0] = rank_.value;
  account_->ranks[1] = wanted.value;
}

}  // namespace photofinish::mpi
