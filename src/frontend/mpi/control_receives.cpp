// Message races of a confirming run: a wildcard receive matches another message than in the
// recorded run.
#include <chrono>
#include <limits>
#include <thread>

#include "frontend/mpi/control.h"
#include "frontend/mpi/datatypes.h"
#include "frontend/mpi/real.h"
#include "steering/step.h"

namespace photofinish::mpi {
namespace {

constexpr std::uint32_t kMessageUnits =
    10;  // of pause_ms: how long a receive waits for its recorded message

constexpr std::uint32_t kMissedMatches = 3;

}  // namespace

bool Control::is_matched_receive(const Context& c) const {
  const CallTraits& call = traits(c.call);
  return matches_ != nullptr && takes_messages(call.action) && call.when != When::Prepares &&
         c.from == MPI_ANY_SOURCE && c.comm != nullptr;
}

// The receives of the rank match their recorded messages up to the steered one, which matches the
// other message.
void Control::choose_message(Context& c) {
  if (!is_matched_receive(c)) return;
  const auto chosen = choose(*c.comm, c.comm_handle, traits(c.call).when,
                             c.event.fields[Field::recv_tag] == kAnyTag);
  if (!chosen) return;
  t_control.steered = true;
  t_control.source = chosen->source;
  t_control.tag = chosen->tag;
}

// In an explored run: the source is named at once, and the message comes, or the run hangs.
std::optional<Control::Chosen> Control::prescribed(const CommRecord& comm, bool any_tag) const {
  if (wildcards_ >= matches_->size()) return std::nullopt;
  const Schedule::Match& match = (*matches_)[wildcards_];
  for (int source = 0; source < comm.peers().size() && match.source.value >= 0; ++source)
    if (comm.peers().world(source) == match.source)
      return Chosen{source, any_tag ? MPI_ANY_TAG : static_cast<int>(match.tag)};
  return std::nullopt;
}

// The source and tag of the next wildcard receive or probe; none: the program's own. One with
// MPI_ANY_TAG takes the first message of its source, because messages do not overtake: its tag
// stays, and that message must be the wanted one.
std::optional<Control::Chosen> Control::choose(const CommRecord& comm, MPI_Comm handle, When when,
                                               bool any_tag) {
  if (schedule_.explores) return prescribed(comm, any_tag);
  if (!follows_ || wildcards_ >= matches_->size()) return std::nullopt;
  const bool is_it = wildcards_ == steered_, behind = wildcards_ > steered_;
  // A receive that does not block may name a message that arrives later, but not after the steered
  // one: the program may have taken another path.
  if (behind && when == When::Starts) return std::nullopt;
  const Schedule::Match& match = (*matches_)[wildcards_];
  int source = 0;
  while (source < comm.peers().size() && comm.peers().world(source) != match.source) ++source;
  if (source == comm.peers().size()) return std::nullopt;
  const bool wants_tag = match.tag != kAnyTag;
  const int tag = wants_tag && !any_tag ? static_cast<int>(match.tag) : MPI_ANY_TAG;
  if (message_since_ == 0) message_since_ = steering_.wait_ns();
  const std::uint64_t limit =
      (is_it ? schedule_.patience_ms : kMessageUnits * schedule_.unit_ms) * kMs;
  int flag = 0;
  steering_.begin_pause();
  while (true) {
    MPI_Status first;
    REAL(PMPI_Iprobe)(source, tag, handle, &flag, &first);
    if (flag != 0 && wants_tag && first.MPI_TAG != match.tag) flag = 0;
    if (flag != 0 || steering_.wait_ns() - message_since_ > limit || steering_.all_others_wait())
      break;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  steering_.end_pause();
  if (is_it) steering_.stop_for_debugger();
  if (is_it) ++steering_.result().reached[0];
  if (is_it && flag != 0) ++steering_.result().reached[1];
  // A blocking receive could wait forever.
  if (flag == 0 && when != When::Starts) {
    // The program takes another path: its receives are left alone.
    follows_ = follows_ && !behind && (is_it || ++missed_ < kMissedMatches);
    return std::nullopt;
  }
  missed_ = 0;
  return Chosen{source, tag};
}

void Control::remember_persistent(const Context& c) {
  if (matches_ == nullptr || traits(c.call).action != Action::Receive || c.from != MPI_ANY_SOURCE ||
      c.comm == nullptr || c.new_request == nullptr)
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

// Each start is a receive. The program names the request by its variable; if it uses a copy of it,
// nothing is changed.
void Control::choose_for_starts(Context& c) {
  for (int i = 0; i < c.request_count && !persistent_.empty(); ++i) {
    const RequestId id = c.event.requests[static_cast<std::size_t>(i)];
    const auto found = persistent_.find(id);
    if (found == persistent_.end()) continue;
    const Persistent& of = found->second;
    const bool is_it = wildcards_ == steered_;
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
  const bool took = is_matched_receive(c) && (c.flag == nullptr || *c.flag != 0);
  const bool is_it = took && wildcards_ == steered_;
  const FieldSet& fields = c.event.fields;
  if (took) {
    ++wildcards_;
    message_since_ = 0;
  }
  if (steered_ >= matches_->size()) return;
  const WorldRank wanted = (*matches_)[steered_].source;
  bool got =
      is_it && fields.has(Field::matched_from) && fields[Field::matched_from] == wanted.value;
  if (is_it && t_control.steered && fields.has(Field::request))
    awaited_request_ = static_cast<std::uint64_t>(fields[Field::request]);
  for (const Completion& done : c.event.completions) {
    if (awaited_request_ == 0 || c.event.requests[done.index].value != awaited_request_) continue;
    got |= done.from == wanted;
    awaited_request_ = 0;  // a persistent one comes again
  }
  RankResult& result = steering_.result();
  if (!got || result.met != 0) return;
  result.met = result.forced = 1;
  result.ranks[0] = steering_.rank().value;
  result.ranks[1] = wanted.value;
}

}  // namespace photofinish::mpi
