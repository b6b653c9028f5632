#include "detect/message_log.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "order/keys.h"
#include "trace/codec.h"

namespace photofinish {
namespace {

using Kind = MessageStep::Kind;
constexpr std::uint64_t kTook = 15;  // beside the kinds of steps
constexpr std::size_t kMaxStep = 80;

// What the step leaves on its way, less what it takes away: the message and, while it is open, the
// receive; a word for each who is to hear it.
std::int64_t leaves(const MessageStep& step) {
  switch (step.kind) {
    case Kind::Send:
      return 1;
    case Kind::Receive:
      return step.at_once ? -1 : 1;
    case Kind::CompleteReceive:
      return -2;
    case Kind::Cancel:
      return step.carries ? 1 : -1;  // a receive takes no message when it completes
    case Kind::Say:
      return step.others;
    case Kind::Hear:
      return -static_cast<std::int64_t>(step.from->size());
    default:
      return 0;
  }
}

void put_key(Encoder& out, MessageKey key) { out.bytes(&key, sizeof key); }

// The steps of one rank, one after the other.
class SliceReader {
 public:
  SliceReader(const SliceSteps& slice,
              std::vector<std::shared_ptr<const std::vector<WorldRank>>> groups)
      : slice_(slice),
        groups_(std::move(groups)),
        in_(reinterpret_cast<const std::uint8_t*>(slice.steps.data()),
            reinterpret_cast<const std::uint8_t*>(slice.steps.data()) + slice.steps.size()) {}

  bool ok() const { return in_.ok(); }
  bool at_end() const { return in_.at_end(); }
  void tell(std::uint64_t until, MessageWalk& walk) {
    for (; told_ < until && !in_.at_end(); ++told_) tell_one(walk);
  }

 private:
  MessageKey key() {
    MessageKey key = 0;
    if (const std::uint8_t* const bytes = in_.bytes(sizeof key))
      std::memcpy(&key, bytes, sizeof key);
    return key;
  }
  template <class T>
  const T* one_of(const std::vector<T>& table) {
    const std::uint64_t index = in_.number();
    if (index < table.size()) return &table[index];
    in_.fail("there is no such entry");
    return nullptr;
  }

  void tell_one(MessageWalk& walk) {
    const std::uint64_t head = in_.number();
    if ((head & 15) == kTook) {
      const std::uint64_t operation = operation_ - in_.number();
      const MessageKey key = this->key();
      if (in_.ok()) walk.took(slice_.rank, operation, key);
      return;
    }
    if ((head & 15) > static_cast<std::uint64_t>(Kind::Locked))
      return in_.fail("there is no such step");
    MessageStep step;
    step.kind = static_cast<Kind>(head & 15);
    step.mode = static_cast<SendMode>(head >> 4 & 3);
    step.carries = (head >> 6 & 1) != 0;
    step.exclusive = (head >> 7 & 1) != 0;
    step.at_once = (head >> 8 & 1) != 0;
    step.asked = (head >> 9 & 1) != 0;
    const SliceSteps::Place* const place = one_of(slice_.places);
    step.moment = moment_ += in_.number();
    switch (step.kind) {
      case Kind::Send:
      case Kind::Receive:
      case Kind::Probe: {
        step.operation = operation_ += in_.number();
        const Uid* const comm = one_of(slice_.comms);
        step.peer = WorldRank(static_cast<std::int32_t>(in_.signed_number()));
        step.tag = in_.signed_number();
        if (step.kind == Kind::Send || step.at_once) step.key = key();
        if (comm != nullptr) step.comm = *comm;
        break;
      }
      case Kind::Say:
        step.key = key();
        step.others = static_cast<std::uint32_t>(in_.number());
        break;
      case Kind::Hear:
        step.key = key();
        if (const auto* const from = one_of(groups_)) step.from = *from;
        break;
      case Kind::Unlock:
        break;  // announced
      case Kind::Locked:
        if (const Uid* const win = one_of(slice_.comms)) step.comm = *win;
        step.peer = WorldRank(static_cast<std::int32_t>(in_.signed_number()));
        step.operation = in_.number();
        step.tag = slice_.clock;
        break;
      default:
        step.operation = operation_ - in_.number();
        break;
    }
    if (!in_.ok()) return;
    step.site = place->site;
    step.site_key = place->key;
    walk.add(slice_.rank, step);
  }

  const SliceSteps& slice_;
  const std::vector<std::shared_ptr<const std::vector<WorldRank>>> groups_;
  Decoder in_;
  std::uint64_t told_ = 0;
  Moment moment_ = 0;
  std::uint64_t operation_ = 0;
};

// All come to the cut, those with nothing else to tell as well, and go on when all are there.
void walk_cut(const std::vector<SliceSteps>& ranks, std::int32_t world_size, MessageWalk& walk) {
  auto everybody = std::make_shared<std::vector<WorldRank>>();
  for (std::int32_t rank = 0; rank < world_size; ++rank) everybody->push_back(WorldRank(rank));
  std::vector<MessageStep> hears(everybody->size());
  for (MessageStep& hear : hears) {
    hear.kind = Kind::Hear;
    hear.key = signal_key(Channel::Cut, ranks.front().slice);
    hear.from = everybody;
  }
  for (const SliceSteps& slice : ranks) {
    MessageStep& hear = hears[static_cast<std::size_t>(slice.rank.value)];
    hear.site = slice.cut.site;
    hear.site_key = slice.cut.key;
    hear.moment = slice.cut_moment;
  }
  for (const WorldRank rank : *everybody) {
    MessageStep say = hears[static_cast<std::size_t>(rank.value)];
    say.kind = Kind::Say;
    say.others = static_cast<std::uint32_t>(world_size);
    say.from = nullptr;
    walk.add(rank, say);
    walk.add(rank, hears[static_cast<std::size_t>(rank.value)]);
  }
}

}  // namespace

// --- a rank's own

void MessageLog::step(MessageStep step) {
  if (step.kind == Kind::Send) ++messages_;
  if (given_up_) return;
  if (step.kind == Kind::Unlock || step.kind == Kind::Locked) return lock(std::move(step));
  if (!held_.empty() || step.kind == Kind::Say || step.kind == Kind::Hear)
    held_.push_back(std::move(step));
  else
    put(step);
}

void MessageLog::took(std::uint64_t operation, MessageKey key) {
  if (given_up_) return;
  std::uint8_t bytes[kMaxStep];
  Encoder out(bytes);
  out.number(kTook);
  out.number(operation_ - operation);
  put_key(out, key);
  now_.steps.append(reinterpret_cast<const char*>(bytes),
                    static_cast<std::size_t>(out.next() - bytes));
  ++now_.count;
}

// A rank comes back to few places, one after the other.
std::uint64_t MessageLog::place_of(const MessageStep& step) {
  RecentPlace& recent = recent_[step.site.value % recent_.size()];
  const SliceSteps::Place place{step.site, step.site_key};
  if (recent.index < now_.places.size() && recent.place == place) return recent.index;
  const auto [known, fresh] = places_.try_emplace(place, now_.places.size());
  if (fresh) now_.places.push_back(place);
  recent = {place, known->second};
  return recent.index;
}

std::uint64_t MessageLog::group(const std::shared_ptr<const std::vector<WorldRank>>& ranks) {
  // Those of communicators stay where they are; the others live no longer than their step.
  const bool lasts = ranks.use_count() == 0;
  if (lasts)
    if (const auto known = groups_.find(ranks.get()); known != groups_.end()) return known->second;
  now_.groups.push_back(*ranks);
  if (lasts) groups_.emplace(ranks.get(), now_.groups.size() - 1);
  return now_.groups.size() - 1;
}

// A program may do nothing else for a long time: then it is enough to know, for each lock, when it
// was given back first, held last, and given back last.
void MessageLog::lock(MessageStep step) {
  locks_.push_back(std::move(step));
  if (locks_.size() >= most_locks_) thin_locks();
}

void MessageLog::thin_locks() {
  struct Kept {
    std::size_t first = 0, held = 0, last = 0;  // one more than their places; 0: none
  };
  std::map<std::tuple<Uid, WorldRank, bool>, Kept> by_lock;
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    Kept& kept = by_lock[{locks_[i].comm, locks_[i].peer, locks_[i].exclusive}];
    if (locks_[i].kind == Kind::Locked)
      kept.held = i + 1;
    else
      (kept.first == 0 ? kept.first : kept.last) = i + 1;
  }
  std::vector<bool> stays(locks_.size() + 1);
  for (const auto& [lock, kept] : by_lock)
    stays[kept.first] = stays[kept.held] = stays[kept.last] = true;
  std::size_t i = 0;
  std::erase_if(locks_, [&](const MessageStep&) { return !stays[++i]; });
  most_locks_ = std::max<std::size_t>(256, 8 * locks_.size());
}

void MessageLog::put_locks() {
  for (const MessageStep& step : std::exchange(locks_, {})) put(step);
}

void MessageLog::put(const MessageStep& step) {
  if (!locks_.empty()) put_locks();
  std::uint8_t bytes[kMaxStep];
  Encoder out(bytes);
  out.number(static_cast<std::uint64_t>(step.kind) | static_cast<std::uint64_t>(step.mode) << 4 |
             (step.carries ? 1u : 0u) << 6 | (step.exclusive ? 1u : 0u) << 7 |
             (step.at_once ? 1u : 0u) << 8 | (step.asked ? 1u : 0u) << 9);
  out.number(place_of(step));
  out.number(step.moment - moment_);
  moment_ = step.moment;
  const auto put_comm = [&] {
    auto comm = std::find(now_.comms.begin(), now_.comms.end(), step.comm);
    if (comm == now_.comms.end()) comm = now_.comms.insert(comm, step.comm);
    out.number(static_cast<std::uint64_t>(comm - now_.comms.begin()));
  };
  switch (step.kind) {
    case Kind::Send:
    case Kind::Receive:
    case Kind::Probe: {
      out.number(step.operation - operation_);
      operation_ = step.operation;
      put_comm();
      out.signed_number(step.peer.value);
      out.signed_number(step.tag);
      if (step.kind == Kind::Send || step.at_once) put_key(out, step.key);
      now_.has_messages = true;
      now_.has_choices |= step.kind != Kind::Send && step.peer == kAnySource;
      is_wild_ |= step.kind != Kind::Send && (step.peer == kAnySource || step.tag == kAnyTag);
      break;
    }
    case Kind::Say:
      put_key(out, step.key);
      out.number(step.others);
      break;
    case Kind::Hear:
      put_key(out, step.key);
      out.number(group(step.from));
      break;
    case Kind::Unlock:
      now_.clock = step.tag;
      now_.unlocks.push_back({step.comm, step.peer, step.exclusive, step.operation});
      break;
    case Kind::Locked:
      now_.clock = step.tag;
      put_comm();
      out.signed_number(step.peer.value);
      out.number(step.operation);
      break;
    default:
      now_.has_choices |= step.kind == Kind::Cancel;
      out.number(operation_ - step.operation);
      break;
  }
  now_.steps.append(reinterpret_cast<const char*>(bytes),
                    static_cast<std::size_t>(out.next() - bytes));
  now_.left += leaves(step);
  ++now_.count;
}

void MessageLog::ended(const Event& event, const Timeline& timeline) {
  const Action action = traits(event.call).action;
  const bool is_message = action == Action::Send || action == Action::Receive;
  if (!is_message) timing_.add(rank_, event, [&] { return timeline.site_key(event.site); });
  if (is_message || (concerns_messages(action) && action != Action::Init)) {
    if (task_ == TaskId()) task_ = event.task;
    threads_ |= task_ != event.task;
  }
  if (timeline.cuts_done() == cuts_)
    end_event();
  else
    end_slice(timeline.cuts_done(), {event.site, timeline.site_key(event.site)});
}

void MessageLog::end_event() {
  if (held_.empty()) return;
  for (const MessageStep& step : held_) put(step);
  held_.clear();
}

void MessageLog::end_slice(Cut cuts, const SliceSteps::Place& cut) {
  now_.cut = cut;
  now_.cut_moment = held_.empty() ? moment_ : held_.front().moment;
  held_.clear();
  cuts_ = cuts;
  close(false);
}

void MessageLog::close(bool last) {
  if (given_up_) return;
  if (!locks_.empty()) put_locks();
  now_.last = last;
  has_messages_ |= now_.has_messages;
  pending_ += now_.count;
  bytes_ += now_.steps.size();
  const bool anything = now_.count != 0;
  if (anything) {
    done_.push_back(std::exchange(now_, {}));
    places_.clear();
    recent_.fill({});
    groups_.clear();
  }
  now_.slice = cuts_;
  now_.rank = rank_;
  moment_ = 0;
  operation_ = 0;
  is_wild_ = false;
}

std::vector<SliceSteps> MessageLog::take(bool last) {
  if (last) close(true);
  has_messages_ = false;
  pending_ = bytes_ = 0;
  return std::exchange(done_, {});
}

void MessageLog::give_up() {
  given_up_ = true;
  held_.clear();
  locks_.clear();
  done_.clear();
  now_ = {};
  pending_ = bytes_ = 0;
}

MessageFindings MessageLog::findings() const {
  MessageFindings own;
  own.timing = timing_.all();
  own.messages = messages_;
  own.threads = threads_;
  return own;
}

// --- all of them

bool walk_slice(const std::vector<SliceSteps>& ranks, std::int32_t world_size, MessageWalk& walk) {
  const bool last =
      std::any_of(ranks.begin(), ranks.end(), [](const SliceSteps& slice) { return slice.last; });
  std::int64_t left = 0;
  for (const SliceSteps& slice : ranks) left += slice.left;
  if (left != 0 && !last) return false;
  walk.begin_slice(ranks.front().slice);
  walk.go(std::any_of(ranks.begin(), ranks.end(),
                      [](const SliceSteps& slice) { return slice.has_choices; })
              ? MessageWalk::Ways::Both
              : MessageWalk::Ways::Unbuffered);
  std::vector<SliceReader> readers;
  std::uint64_t longest = 0;
  for (const SliceSteps& slice : ranks) {
    std::vector<std::shared_ptr<const std::vector<WorldRank>>> groups;
    for (const auto& group : slice.groups)
      groups.push_back(std::make_shared<const std::vector<WorldRank>>(group));
    readers.emplace_back(slice, std::move(groups));
    longest = std::max(longest, slice.count);
  }
  for (const SliceSteps& slice : ranks)
    for (const SliceSteps::Unlock& unlock : slice.unlocks) {
      MessageStep step;
      step.kind = Kind::Unlock;
      step.comm = unlock.win;
      step.peer = unlock.target;
      step.exclusive = unlock.exclusive;
      step.operation = unlock.ticks;
      step.tag = slice.clock;
      walk.announce(slice.rank, step);
    }
  // Side by side, so that little waits.
  constexpr std::uint64_t kAtOnce = 32;
  const std::uint64_t rounds = longest / kAtOnce + 1;
  for (std::uint64_t round = 1; round <= rounds; ++round)
    for (std::size_t i = 0; i < readers.size(); ++i)
      readers[i].tell(ranks[i].count * round / rounds, walk);
  if (!std::all_of(readers.begin(), readers.end(),
                   [](const SliceReader& reader) { return reader.ok() && reader.at_end(); }))
    return false;
  if (last) {
    walk.finish();
    return true;
  }
  walk_cut(ranks, world_size, walk);
  walk.settle();
  return walk.nothing_waits();
}

}  // namespace photofinish
