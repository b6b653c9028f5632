#include "frontend/mpi/control.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/ticks.h"
#include "frontend/mpi/control_step.h"
#include "frontend/mpi/object_gate.h"
#include "model/scopes.h"
#include "runtime/failure.h"
#include "runtime/reach.h"
#include "runtime/recorder.h"

namespace photofinish::mpi {
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

bool is_one_node(int world_size) {
  MPI_Comm node = MPI_COMM_NULL;
  int on_node = 0;
  if (REAL(PMPI_Comm_split_type)(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) !=
      MPI_SUCCESS)
    return false;
  REAL(PMPI_Comm_size)(node, &on_node);
  REAL(PMPI_Comm_free)(&node);
  return on_node == world_size;
}

}  // namespace

constinit std::atomic<Control*> Control::instance_{nullptr};

bool Control::has_schedule(const std::string& directory) {
  return access((directory + kScheduleFile).c_str(), F_OK) == 0;
}

Control::Control(Schedules schedules, WorldRank rank, int size, const Definitions& known,
                 bool recorded)
    : schedules_(std::move(schedules)),
      finding_(finding_of(schedules_, rank)),
      schedule_(schedules_.findings[finding_]),
      of_memory_(std::any_of(schedules_.findings.begin(), schedules_.findings.end(),
                             [](const Schedule& one) { return one.kind == RaceKind::Memory; })),
      rank_(rank),
      size_(size),
      known_(known),
      recorded_(recorded),
      random_(static_cast<unsigned>(schedule_.seed * 7919 + static_cast<std::uint64_t>(rank.value) +
                                    1)),
      // Threads often reach one site together, and the other one may be behind it.
      eagerness_(schedule_.threads ? 0.5 : 1),
      seen_words_(static_cast<std::size_t>(size)) {
  for (std::size_t side = 0; side < schedule_.sides.size(); ++side)
    for (const std::uint64_t key : schedule_.sides[side].site_keys) sites_[key] |= 1u << side;
  for (const ScheduledSide& other : schedule_.other_sites)
    for (const std::uint64_t key : other.site_keys) sites_[key] |= kOtherSite;
  for (const Schedule::HeldRank& held : schedule_.held)
    if (held.rank == rank_ && schedule_.scope != Scope::Off) matches_ = &held.matches;
  if (schedule_.kind == RaceKind::Message && schedule_.scope != Scope::Off &&
      !schedule_.sides.empty() && rank_ == schedule_.sides[0].rank) {
    matches_ = &schedule_.matches;
    steered_ = schedule_.steered;
  }
  of_buffers_ = std::any_of(
      schedule_.sides.begin(), schedule_.sides.end(),
      [](const ScheduledSide& side) { return !in_target(side.kind) && !is_access(side.call); });
}

void Control::start(WorldRank rank, int size, const std::string& directory,
                    const Definitions& known, bool recorded) {
  // All ranks make the same calls, even if one of them cannot be steered.
  Control* self = nullptr;
  guarded([&] {
    auto schedules = read_schedules(directory);
    if (!schedules) return complain_once(schedules.error().message);
    self = new Control(std::move(*schedules), rank, size, known,
                       recorded);  // never deleted: the program's last threads may still be in it
    REAL(PMPI_Query_thread)(&self->thread_level_);
    self->result_ = static_cast<RankResult*>(
        map_shared_file(rank_result_path(directory, rank), sizeof(RankResult)));
  });
  MPI_Comm comm = MPI_COMM_NULL;
  const bool has_comm = REAL(PMPI_Comm_dup)(MPI_COMM_WORLD, &comm) == MPI_SUCCESS;
  const bool one_node = is_one_node(size);
  bool shares = false;
  if (self != nullptr) self->comm_ = comm;
  if (self != nullptr && one_node) guarded([&] { shares = self->share_table(directory); });
  int usable[2] = {has_comm && self != nullptr && self->result_ != nullptr ? 1 : 0, shares ? 1 : 0},
      all[2];
  REAL(PMPI_Allreduce)(usable, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all[0] == 0)
    return rank == WorldRank(0)
               ? complain_once("a rank cannot write to the run directory: this run is not steered")
               : void();
  if (all[1] == 0) self->open_channel();
  self->result_->finding = static_cast<std::uint32_t>(self->finding_);
  self->result_->rank = rank.value;
  self->result_->steered = 1;
  if (self->schedule_.explores && all[1] != 0) guarded([&] { ObjectGate::start(directory, rank); });
  instance_ = self;
}

std::uint32_t Control::sides_of(Call call, SiteId site) {
  std::lock_guard lock(mutex_);
  if (site.value >= sides_of_site_.size()) sides_of_site_.resize(site.value + 64);
  std::uint8_t& known = sides_of_site_[site.value];
  if (known == 0) {
    const auto found =
        sites_.find(is_access(call) ? innermost_key(known_, site) : call_site_key(known_, site));
    std::uint32_t sides = found != sites_.end() ? found->second : 0;
    for (std::uint32_t side = 0; side < schedule_.sides.size(); ++side)
      if (schedule_.sides[side].call != call) sides &= ~(1u << side);
    if (std::none_of(schedule_.other_sites.begin(), schedule_.other_sites.end(),
                     [&](const ScheduledSide& other) { return other.call == call; }))
      sides &= kSides;
    known = static_cast<std::uint8_t>(1 + sides);
  }
  return known - 1u;
}

void Control::leave(bool last) {
  for (PendingOperation& operation : pending_)
    if (operation.later) std::exchange(operation.later, nullptr)();
  if (channel_ != nullptr && last) channel_->finish();
}

int Control::source(int given) const { return t_step.steered ? t_step.source : given; }
int Control::tag(int given) const {
  return t_step.steered && given == MPI_ANY_TAG ? t_step.tag : given;
}

void Control::before(Context& c) {
  t_step = {};
  ++timestamp_;
  if (channel_ != nullptr && may_call()) receive_messages();
  end_accesses();
  if (matches_ != nullptr) {
    if (traits(c.call).action == Action::Start)
      choose_for_starts(c);
    else
      choose_message(c);
  }
  if (traits(c.call).action == Action::WinFree) close_second_window(c);
  if (schedule_.kind == RaceKind::Memory) {
    if (!pending_.empty()) {
      before_completion(c);
      issue_deferred(c);
    }
    const std::uint32_t sides = sides_of(c.call, c.event.site);
    if (sides == kOtherSite) hold_at_other_site();
    if ((sides & kSides) != 0) reach_call(c, sides & kSides);
    if (is_settled() && !recorded_)
      if (Reach* reach = Reach::get()) reach->lift(true);  // no load or store matters any more
  }
  if (channel_ != nullptr && traits(c.call).action == Action::Finalize) {
    channel_->finish();
    words_ = channel_->words();
  }
  if (ObjectGate* gate = ObjectGate::get();
      gate != nullptr && may_use_object(traits(c.call).action)) {
    words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
    gate->enter(c, [this] { make_progress(); });
    words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  }
  if (traits(c.call).when == When::Blocks) begin_waiting();
}

bool Control::lets_pass(Call call, Action action) {
  // Messages are received in the program's calls; buffers are followed through all of them.
  if (channel_ != nullptr || of_buffers_ || schedule_.synchronous || records() ||
      t_unfinished != Unfinished::Nothing || !pending_.empty())
    return false;
  if (matches_ != nullptr && takes_messages(action)) return false;
  if (schedule_.kind == RaceKind::Memory &&
      std::any_of(schedule_.sides.begin(), schedule_.sides.end(), [&](const ScheduledSide& side) {
        // The results of fetching operations are checked when they are complete.
        return side.call == call || is_atomic(traits(side.call).action);
      }))
    return false;
  if (std::any_of(schedule_.other_sites.begin(), schedule_.other_sites.end(),
                  [&](const ScheduledSide& other) { return other.call == call; }))
    return false;
  ++timestamp_;
  return true;
}

void Control::after(Context& c) {
  const CallTraits& call = traits(c.call);
  if (call.action == Action::Finalize) {
    words_[rank_.value].fetch_or(kFinalizedWord, std::memory_order_relaxed);  // and it stays odd
    instance_ = nullptr;
  }
  if (call.when == When::Blocks && call.action != Action::Finalize) end_waiting();
  if (ObjectGate* gate = ObjectGate::get()) gate->leave(c);
  if (call.action == Action::WinCreate && of_memory_) gather_window(c);
  if (matches_ != nullptr) {
    if (call.when == When::Prepares) remember_persistent(c);
    check_message(c);
  }
  if (schedule_.kind == RaceKind::Message) return;
  Step& step = t_step;
  if (!deferred_requests_.empty()) free_deferred_requests(c);
  if (step.deferred && !is_one_sided(call.action)) {
    defer_request(c);
    step.entered = false;
  }
  if (step.turn == Turn::First) {
    step.complete = complete_early(c);
    if (!step.complete)
      with_table([](RendezvousTable& table) {
        if (table.number == t_meeting) table.forced = 0;
      });
    first_is_done();
  } else if (step.entered && step.turn == Turn::Entered) {
    step.complete = step.first_side && complete_early(c);
    Turn turn = Turn::Entered;
    with_table([&](RendezvousTable& table) {
      turn = turn_at(table, step.slot, rank_.value, task_number());
      t_meeting = table.number;
      TableEntry* const entry = own_entry(table, step.slot, rank_.value, task_number());
      if (entry == nullptr) return;
      entry->state = turn == Turn::Entered ? EntryState::Pending : EntryState::Free;
      entry->steerable = step.complete ? 1 : 0;
    });
    if (turn == Turn::First) first_is_done();
    std::lock_guard lock(mutex_);
    const FieldSet& fields = c.event.fields;
    const bool of_buffer = !in_target(schedule_.sides[step.sides >> 1 & 1].kind);
    // The request of a put says nothing about its completion at the target.
    const bool by_request =
        fields.has(Field::request) && (of_buffer || returns_result(call.action));
    std::vector<RequestId> requests;
    if (by_request)
      requests.push_back(RequestId(static_cast<std::uint64_t>(fields[Field::request])));
    if (call.action == Action::Start) requests = c.event.requests;
    if (turn == Turn::Entered)
      pending_.push_back({.slot = step.slot,
                          .win = fields.has(Field::win) ? fields[Field::win] : 0,
                          .target = fields.has(Field::target) ? fields[Field::target] : -1,
                          .requests = std::move(requests),
                          .over_locally = of_buffer || returns_result(call.action),
                          .atomic = is_atomic(call.action),
                          .later = nullptr,
                          .copy = nullptr});
  }
  if (!pending_.empty()) retire_completed(c);
  if (of_buffers_ && call.when == When::Prepares) remember_prepared(c);
  if (c.win != nullptr) follow_locks(c);
}

}  // namespace photofinish::mpi
