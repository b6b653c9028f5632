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
constexpr std::uint64_t kTook = 15;  // next to the kinds of steps
constexpr std::size_t kMaxStep = 80;

// What the step leaves open minus what it closes: a message, an open receive, and one unit per rank
// that has to acquire a release.
std::int64_t leaves(const MessageStep& step) {
  switch (step.kind) {
    case Kind::Send:
      return 1;
    case Kind::Receive:
      return step.at_once ? -1 : 1;
    case Kind::CompleteReceive:
      return -2;
    case Kind::Cancel:
      return step.carries ? 1 : -1;  // a cancelled receive: its completion takes no message
    case Kind::Release:
      return step.others;
    case Kind::Acquire:
      return -static_cast<std::int64_t>(step.from->size());
    default:
      return 0;
  }
}

void put_key(Encoder& out, MessageKey key) { out.bytes(&key, sizeof key); }

// Decodes the steps of one rank.
class PhaseReader {
 public:
  PhaseReader(const PhaseSteps& phase,
              std::vector<std::shared_ptr<const std::vector<WorldRank>>> groups)
      : phase_(phase),
        groups_(std::move(groups)),
        in_(reinterpret_cast<const std::uint8_t*>(phase.steps.data()),
            reinterpret_cast<const std::uint8_t*>(phase.steps.data()) + phase.steps.size()) {}

  bool ok() const { return in_.ok(); }
  bool at_end() const { return in_.at_end(); }
  void report(std::uint64_t until, SequencePair& walk) {
    for (; reported_ < until && !in_.at_end(); ++reported_) report_one(walk);
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

  void report_one(SequencePair& walk) {
    const std::uint64_t head = in_.number();
    if ((head & 15) == kTook) {
      const std::uint64_t operation = operation_ - in_.number();
      const MessageKey key = this->key();
      if (in_.ok()) walk.took(phase_.rank, operation, key);
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
    const PhaseSteps::CallSite* const call_site = one_of(phase_.call_sites);
    step.timestamp = timestamp_ += in_.number();
    switch (step.kind) {
      case Kind::Send:
      case Kind::Receive:
      case Kind::Probe: {
        step.operation = operation_ += in_.number();
        const Uid* const comm = one_of(phase_.comms);
        step.peer = WorldRank(static_cast<std::int32_t>(in_.signed_number()));
        step.tag = in_.signed_number();
        if (step.kind == Kind::Send || step.at_once) step.key = key();
        if (comm != nullptr) step.comm = *comm;
        break;
      }
      case Kind::Release:
        step.key = key();
        step.others = static_cast<std::uint32_t>(in_.number());
        break;
      case Kind::Acquire:
        step.key = key();
        if (const auto* const from = one_of(groups_)) step.from = *from;
        break;
      case Kind::Unlock:
        break;  // done by announce()
      case Kind::Locked:
        if (const Uid* const win = one_of(phase_.comms)) step.comm = *win;
        step.peer = WorldRank(static_cast<std::int32_t>(in_.signed_number()));
        step.operation = in_.number();
        step.tag = phase_.clock;
        break;
      default:
        step.operation = operation_ - in_.number();
        break;
    }
    if (!in_.ok()) return;
    step.site = call_site->site;
    step.site_key = call_site->key;
    walk.add(phase_.rank, step);
  }

  const PhaseSteps& phase_;
  const std::vector<std::shared_ptr<const std::vector<WorldRank>>> groups_;
  Decoder in_;
  std::uint64_t reported_ = 0;
  Timestamp timestamp_ = 0;
  std::uint64_t operation_ = 0;
};

// All ranks, including those without steps, reach the sync point and continue when all are there.
void walk_sync_point(const std::vector<PhaseSteps>& ranks, std::int32_t world_size,
                     SequencePair& walk) {
  auto everybody = std::make_shared<std::vector<WorldRank>>();
  for (std::int32_t rank = 0; rank < world_size; ++rank) everybody->push_back(WorldRank(rank));
  std::vector<MessageStep> acquires(everybody->size());
  for (MessageStep& acquire : acquires) {
    acquire.kind = Kind::Acquire;
    acquire.key = edge_key(Channel::SyncPoint, ranks.front().phase);
    acquire.from = everybody;
  }
  for (const PhaseSteps& phase : ranks) {
    MessageStep& acquire = acquires[static_cast<std::size_t>(phase.rank.value)];
    acquire.site = phase.sync_point.site;
    acquire.site_key = phase.sync_point.key;
    acquire.timestamp = phase.sync_point_timestamp;
  }
  for (const WorldRank rank : *everybody) {
    MessageStep release = acquires[static_cast<std::size_t>(rank.value)];
    release.kind = Kind::Release;
    release.others = static_cast<std::uint32_t>(world_size);
    release.from = nullptr;
    walk.add(rank, release);
    walk.add(rank, acquires[static_cast<std::size_t>(rank.value)]);
  }
}

}  // namespace

// --- one rank

void MessageLog::step(MessageStep step) {
  if (step.kind == Kind::Send) ++messages_;
  if (given_up_) return;
  if (step.kind == Kind::Unlock || step.kind == Kind::Locked) return lock(std::move(step));
  if (!held_.empty() || step.kind == Kind::Release || step.kind == Kind::Acquire)
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

// A rank makes consecutive calls from few call sites.
std::uint64_t MessageLog::call_site_of(const MessageStep& step) {
  RecentCallSite& recent = recent_[step.site.value % recent_.size()];
  const PhaseSteps::CallSite call_site{step.site, step.site_key};
  if (recent.index < now_.call_sites.size() && recent.call_site == call_site) return recent.index;
  const auto [known, fresh] = call_sites_.try_emplace(call_site, now_.call_sites.size());
  if (fresh) now_.call_sites.push_back(call_site);
  recent = {call_site, known->second};
  return recent.index;
}

std::uint64_t MessageLog::group(const std::shared_ptr<const std::vector<WorldRank>>& ranks) {
  // Groups of communicators outlive the step; other groups do not.
  const bool lasts = ranks.use_count() == 0;
  if (lasts)
    if (const auto known = groups_.find(ranks.get()); known != groups_.end()) return known->second;
  now_.groups.push_back(*ranks);
  if (lasts) groups_.emplace(ranks.get(), now_.groups.size() - 1);
  return now_.groups.size() - 1;
}

// A program may only lock and unlock for a long time. Then each lock needs only its first release,
// its last acquisition and its last release.
void MessageLog::lock(MessageStep step) {
  locks_.push_back(std::move(step));
  if (locks_.size() >= most_locks_) thin_locks();
}

void MessageLog::thin_locks() {
  struct Kept {
    std::size_t first = 0, held = 0, last = 0;  // index + 1; 0: none
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
  out.number(call_site_of(step));
  out.number(step.timestamp - timestamp_);
  timestamp_ = step.timestamp;
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
    case Kind::Release:
      put_key(out, step.key);
      out.number(step.others);
      break;
    case Kind::Acquire:
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

void MessageLog::ended(SiteId site, const Timeline& timeline) {
  if (timeline.sync_points_done() == sync_points_)
    end_event();
  else
    end_phase(timeline.sync_points_done(), {site, timeline.site_key(site)});
}

void MessageLog::end_event() {
  if (held_.empty()) return;
  for (const MessageStep& step : held_) put(step);
  held_.clear();
}

void MessageLog::end_phase(SyncPoint sync_points, const PhaseSteps::CallSite& sync_point) {
  now_.sync_point = sync_point;
  now_.sync_point_timestamp = held_.empty() ? timestamp_ : held_.front().timestamp;
  held_.clear();
  sync_points_ = sync_points;
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
    call_sites_.clear();
    recent_.fill({});
    groups_.clear();
  }
  now_.phase = sync_points_;
  now_.rank = rank_;
  timestamp_ = 0;
  operation_ = 0;
  is_wild_ = false;
}

std::vector<PhaseSteps> MessageLog::take(bool last) {
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
  own.messages = messages_;
  return own;
}

// --- all ranks

bool walk_phase(const std::vector<PhaseSteps>& ranks, std::int32_t world_size, SequencePair& walk) {
  const bool last =
      std::any_of(ranks.begin(), ranks.end(), [](const PhaseSteps& phase) { return phase.last; });
  std::int64_t left = 0;
  for (const PhaseSteps& phase : ranks) left += phase.left;
  if (left != 0 && !last) return false;
  walk.begin_phase(ranks.front().phase);
  walk.go(std::any_of(ranks.begin(), ranks.end(),
                      [](const PhaseSteps& phase) { return phase.has_choices; })
              ? SequencePair::Ways::Both
              : SequencePair::Ways::Unbuffered);
  std::vector<PhaseReader> readers;
  std::uint64_t longest = 0;
  for (const PhaseSteps& phase : ranks) {
    std::vector<std::shared_ptr<const std::vector<WorldRank>>> groups;
    for (const auto& group : phase.groups)
      groups.push_back(std::make_shared<const std::vector<WorldRank>>(group));
    readers.emplace_back(phase, std::move(groups));
    longest = std::max(longest, phase.count);
  }
  for (const PhaseSteps& phase : ranks)
    for (const PhaseSteps::Unlock& unlock : phase.unlocks) {
      MessageStep step;
      step.kind = Kind::Unlock;
      step.comm = unlock.win;
      step.peer = unlock.target;
      step.exclusive = unlock.exclusive;
      step.operation = unlock.ticks;
      step.tag = phase.clock;
      walk.announce(phase.rank, step);
    }
  // Interleave the ranks, so that few steps wait.
  constexpr std::uint64_t kAtOnce = 32;
  const std::uint64_t rounds = longest / kAtOnce + 1;
  for (std::uint64_t round = 1; round <= rounds; ++round)
    for (std::size_t i = 0; i < readers.size(); ++i)
      readers[i].report(ranks[i].count * round / rounds, walk);
  if (!std::all_of(readers.begin(), readers.end(),
                   [](const PhaseReader& reader) { return reader.ok() && reader.at_end(); }))
    return false;
  if (last) {
    walk.finish();
    return true;
  }
  walk_sync_point(ranks, world_size, walk);
  walk.settle();
  return walk.nothing_waits();
}

}  // namespace photofinish
