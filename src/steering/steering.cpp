#include "steering/steering.h"

#include <unistd.h>

#include <algorithm>

#include "model/scopes.h"
#include "runtime/reach.h"
#include "steering/step.h"

namespace photofinish {
namespace {

// The key of a site by its innermost frame alone.
std::uint64_t innermost_key(const Definitions& known, SiteId site) {
  Definitions alone;
  const auto found = known.sites.find(site);
  if (found == known.sites.end() || found->second.frames.empty()) return 0;
  alone.sites[site] = {site, {found->second.frames.front()}};
  if (const auto module = known.modules.find(found->second.frames.front().module);
      module != known.modules.end())
    alone.modules.insert(*module);
  return call_site_key(alone, site);
}

constexpr bool is_atomic(Action action) {
  return action == Action::Accumulate || action == Action::GetAccumulate ||
         action == Action::FetchAndOp || action == Action::CompareAndSwap;
}

}  // namespace

constinit std::atomic<Steering*> Steering::instance_{nullptr};

bool Steering::has_schedule(const std::string& directory) {
  return access((directory + kScheduleFile).c_str(), F_OK) == 0;
}

Steering::Steering(Schedules schedules, WorldRank rank, int size, bool recorded, Host& host)
    : schedules_(std::move(schedules)),
      finding_(finding_of(schedules_, rank)),
      schedule_(schedules_.findings[finding_]),
      of_memory_(std::any_of(schedules_.findings.begin(), schedules_.findings.end(),
                             [](const Schedule& one) { return one.kind == RaceKind::Memory; })),
      rank_(rank),
      size_(size),
      recorded_(recorded),
      host_(host),
      random_(static_cast<unsigned>(schedule_.seed * 7919 + static_cast<std::uint64_t>(rank.value) +
                                    1)),
      // Threads often reach one site together, and the other one may be behind it.
      eagerness_(schedule_.threads ? 0.5 : 1),
      seen_words_(static_cast<std::size_t>(size)) {
  for (std::size_t side = 0; side < schedule_.sides.size(); ++side)
    for (const std::uint64_t key : schedule_.sides[side].site_keys) sites_[key] |= 1u << side;
  for (const ScheduledSide& other : schedule_.other_sites)
    for (const std::uint64_t key : other.site_keys) sites_[key] |= kOtherSite;
  of_buffers_ =
      std::any_of(schedule_.sides.begin(), schedule_.sides.end(), [](const ScheduledSide& side) {
        return side.any_form([](const ScheduledSide::Form& form) {
          return !in_target(form.kind) && !is_access(form.call);
        });
      });
}

bool Steering::open_result(const std::string& directory) {
  result_ = static_cast<RankResult*>(
      map_shared_file(rank_result_path(directory, rank_), sizeof(RankResult)));
  return result_ != nullptr;
}

void Steering::begin() {
  result_->finding = static_cast<std::uint32_t>(finding_);
  result_->rank = rank_.value;
  result_->steered = 1;
  instance_ = this;
}

void Steering::close_channel() {
  if (channel_ == nullptr) return;
  channel_->finish();
  words_ = channel_->words();
}

void Steering::end() {
  words_[rank_.value].fetch_or(kFinalizedWord, std::memory_order_relaxed);  // and it stays odd
  instance_ = nullptr;
}

std::uint64_t Steering::key_of(Call call, SiteId site) const {
  std::uint64_t key = 0;
  host_.read_definitions([&](const Definitions& known) {
    key = is_access(call) ? innermost_key(known, site) : call_site_key(known, site);
  });
  return key;
}

std::uint32_t Steering::sides_of(Call call, SiteId site) {
  std::lock_guard lock(mutex_);
  if (site.value >= sides_of_site_.size()) sides_of_site_.resize(site.value + 64);
  std::uint8_t& known = sides_of_site_[site.value];
  if (known == 0) {
    const auto found = sites_.find(key_of(call, site));
    std::uint32_t sides = found != sites_.end() ? found->second : 0;
    for (std::uint32_t side = 0; side < schedule_.sides.size(); ++side)
      if (!schedule_.sides[side].is_call(call)) sides &= ~(1u << side);
    if (std::none_of(schedule_.other_sites.begin(), schedule_.other_sites.end(),
                     [&](const ScheduledSide& other) { return other.is_call(call); }))
      sides &= kSides;
    known = static_cast<std::uint8_t>(1 + sides);
  }
  return known - 1u;
}

std::uint32_t Steering::sides_at_call(Call call, SiteId site) {
  if (schedule_.kind != RaceKind::Memory) return 0;
  const std::uint32_t sides = sides_of(call, site);
  if (sides == kOtherSite) hold_at_other_site();
  return sides & kSides;
}

void Steering::enter() {
  t_step = {};
  ++timestamp_;
  if (channel_ != nullptr && host_.may_call()) receive_messages();
  end_accesses();
}

void Steering::begin_waiting() { words_[rank_.value].fetch_or(1, std::memory_order_relaxed); }

void Steering::end_waiting() {
  const std::uint64_t word = words_[rank_.value].load(std::memory_order_relaxed);
  words_[rank_.value].store((word | 1) + 1, std::memory_order_relaxed);
}

bool Steering::lets_pass(Call call) {
  // Messages are received in the program's calls; buffers are followed through all of them.
  if (channel_ != nullptr || of_buffers_ || schedule_.synchronous || records() ||
      t_unfinished != Unfinished::Nothing || !pending_.empty())
    return false;
  if (schedule_.kind == RaceKind::Memory &&
      std::any_of(schedule_.sides.begin(), schedule_.sides.end(), [&](const ScheduledSide& side) {
        // The results of fetching operations are checked when they are complete.
        return side.is_call(call) || side.any_form([](const ScheduledSide::Form& form) {
          return is_atomic(traits(form.call).action);
        });
      }))
    return false;
  if (std::any_of(schedule_.other_sites.begin(), schedule_.other_sites.end(),
                  [&](const ScheduledSide& other) { return other.is_call(call); }))
    return false;
  ++timestamp_;
  return true;
}

void Steering::lift_if_settled() {
  if (!is_settled() || recorded_) return;
  if (Reach* reach = Reach::get()) reach->lift(true);
}

void Steering::hold_lock(const HeldLock& lock) {
  std::lock_guard guard(mutex_);
  locks_.push_back(lock);
}

// An operation that is pending after the unlock is no longer protected by the lock.
void Steering::release_lock(const HeldLock& lock) {
  const auto is_it = [&](const HeldLock& held) {
    return held.win == lock.win && held.target == lock.target;
  };
  std::lock_guard guard(mutex_);
  std::erase_if(locks_, is_it);
  if (pending_.empty()) return;
  with_table([&](RendezvousTable& table) {
    for (const PendingOperation& operation : pending_) {
      TableEntry& entered = table.entries[operation.slot];
      HeldLock* const end = entered.lock + std::min(entered.locks, kLocks);
      entered.locks =
          static_cast<std::uint32_t>(std::remove_if(entered.lock, end, is_it) - entered.lock);
    }
  });
}

}  // namespace photofinish
