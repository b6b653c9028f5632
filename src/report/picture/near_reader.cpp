#include "report/picture/near_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/front_ends.h"
#include "report/event_text.h"

namespace photofinish {
namespace {

constexpr std::size_t kBefore = 4, kAfter = 4;  // events before and after an anchor

}  // namespace

NearReader::NearReader(WorldRank rank, int world_size, const Definitions& definitions,
                       const std::vector<NearLane*>& lanes)
    : definitions_(definitions),
      lanes_(lanes),
      timeline_(rank, world_size, definitions),
      meaning_(meaning_of(timeline_)) {
  timeline_.report_messages(this, Timeline::Besides::Nothing);
  for (NearLane* lane : lanes) {
    for (const std::uint64_t index : lane->anchors) anchors_.emplace_back(index, lane);
    if (lane->phase && *lane->phase == 0)
      active_.emplace_back(lane, kAfter);
    else if (lane->phase)
      phases_.emplace(*lane->phase, lane);
  }
  std::sort(anchors_.begin(), anchors_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

void NearReader::step(MessageStep step) {
  if (take_halves(step)) return;
  switch (step.kind) {
    case MessageStep::Kind::Send:
      current_.ties.push_back({Tie::Kind::Send, step.key});
      break;
    case MessageStep::Kind::Receive:
      posted_.push_back(step.operation);
      break;
    case MessageStep::Kind::CompleteReceive:
      current_.ties.push_back({Tie::Kind::Receive, 0, step.operation});
      if (const auto waiting = awaited_.find(step.operation); waiting != awaited_.end()) {
        for (NearLane* lane : waiting->second) active_.emplace_back(lane, current_.index);
        awaited_.erase(waiting);
      }
      break;
    case MessageStep::Kind::Release:
      current_.ties.push_back({Tie::Kind::Release, step.key});
      break;
    case MessageStep::Kind::Acquire:
      current_.ties.push_back({Tie::Kind::Acquire, step.key});
      break;
    default:
      break;
  }
}

void NearReader::add(const Event& event) {
  current_ = {.index = events_++,
              .call = event.call,
              .site = event.site,
              .returned = event.returned,
              .before = timeline_.sync_points_done()};
  posted_.clear();
  const FieldSet& fields = event.fields;
  for (const Field field :
       {Field::target, Field::to, Field::matched_from, Field::from, Field::root})
    if (fields.has(field)) {
      current_.peer = fields.rank(field);
      break;
    }
  for (const Field field : {Field::send_tag, Field::matched_tag, Field::recv_tag})
    if (fields.has(field)) {
      current_.tag = fields[field];
      break;
    }
  if (fields.has(Field::win)) current_.win = WinId(static_cast<std::uint32_t>(fields[Field::win]));
  meaning_->add(event, {event.start, event.start + event.duration});
  current_.after = timeline_.sync_points_done();

  follow_epochs(event);
  for (; next_anchor_ < anchors_.size() && anchors_[next_anchor_].first == current_.index;
       ++next_anchor_)
    anchor(*anchors_[next_anchor_].second);
  // A sync point begins a phase, and the next one ends it.
  if (current_.after > current_.before) {
    for (auto [at, end] = phases_.equal_range(current_.after); at != end; ++at)
      active_.emplace_back(at->second, current_.index + kAfter);
    for (auto [at, end] = phases_.equal_range(current_.before); at != end; ++at)
      keep(*at->second, current_);
  }
  for (const auto& [lane, until] : active_) keep(*lane, current_);
  std::erase_if(active_, [&](const auto& one) { return one.second <= current_.index; });
  last_.push_back(std::move(current_));
  if (last_.size() > kBefore) last_.pop_front();
}

void NearReader::anchor(NearLane& lane) {
  for (const NearStep& step : last_) keep(lane, step);
  active_.emplace_back(&lane, current_.index + kAfter);
  for (const std::uint64_t operation : posted_) awaited_[operation].push_back(&lane);
  for (auto& [key, epoch] : open_) {
    if (uid_of(std::get<WinId>(key)) != lane.win || lane.win == Uid()) continue;
    if (std::find(epoch.waiting.begin(), epoch.waiting.end(), &lane) != epoch.waiting.end())
      continue;
    keep(lane, epoch.opening);
    lane.epochs.push_back({.opened = epoch.opening.index, .label = epoch.label});
    epoch.waiting.push_back(&lane);
  }
}

Uid NearReader::uid_of(WinId win) const {
  const auto found = definitions_.wins.find(win);
  return found != definitions_.wins.end() ? found->second.uid : Uid();
}

void NearReader::open(const EpochKey& key, std::string label) {
  open_.insert_or_assign(key, OpenEpoch{current_, std::move(label), {}});
}

void NearReader::close(const EpochKey& key) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  for (NearLane* lane : found->second.waiting) {
    keep(*lane, current_);
    for (NearEpoch& epoch : lane->epochs)
      if (epoch.opened == found->second.opening.index && epoch.label == found->second.label)
        epoch.closed = current_.index;
  }
  open_.erase(found);
}

void NearReader::follow_epochs(const Event& event) {
  const WinId win = current_.win;
  const FieldSet& fields = event.fields;
  if (win == WinId() || !event.returned || event.result != 0) return;
  const WorldRank target = fields.rank(Field::target);
  const auto key = [&](EpochKind kind) {
    return EpochKey(win, kind, kind == EpochKind::Lock ? target : kProcNull);
  };
  const std::int64_t assertion = fields.has(Field::assertion) ? fields[Field::assertion] : 0;
  switch (traits(event.call).action) {
    case Action::Fence:
      close(key(EpochKind::Fence));
      if ((assertion & kNoSucceed) == 0) open(key(EpochKind::Fence), "fence epoch");
      return;
    case Action::Lock: {
      const bool exclusive = fields.has(Field::lock) && fields[Field::lock] == kExclusiveLock;
      return open(
          key(EpochKind::Lock),
          fmt::format("{} lock of rank {}", exclusive ? "exclusive" : "shared", rank_text(target)));
    }
    case Action::Unlock:
      return close(key(EpochKind::Lock));
    case Action::LockAll:
      return open(key(EpochKind::LockAll), "lock of all ranks (shared)");
    case Action::UnlockAll:
      return close(key(EpochKind::LockAll));
    case Action::StartEpoch:
      return open(key(EpochKind::Access), "access epoch");
    case Action::Complete:
      return close(key(EpochKind::Access));
    case Action::Post:
      return open(key(EpochKind::Exposure), "exposure epoch");
    case Action::WaitEpoch:
      if (!fields.has(Field::flag) || fields[Field::flag] != 0) close(key(EpochKind::Exposure));
      return;
    default:
      return;
  }
}

void NearReader::finish() {
  for (NearLane* lane : lanes_) {
    lane->events = events_;
    for (auto& [index, step] : lane->steps)
      for (Tie& tie : step.ties)
        if (const auto key = taken_.find(tie.operation);
            tie.kind == Tie::Kind::Receive && key != taken_.end())
          tie.key = key->second;
  }
}

}  // namespace photofinish
