// Loads and stores of a confirming run that are an access site.
#include <algorithm>

#include "runtime/recorder.h"
#include "steering/step.h"

namespace photofinish {

bool Steering::checks_memory() const {
  const auto is_memory = [](const ScheduledSide& side) {
    return side.any_form([](const ScheduledSide::Form& form) { return is_access(form.call); });
  };
  return schedule_.kind == RaceKind::Memory &&
         (std::any_of(schedule_.sides.begin(), schedule_.sides.end(), is_memory) ||
          std::any_of(schedule_.other_sites.begin(), schedule_.other_sites.end(), is_memory));
}

std::vector<std::uint32_t> Steering::lines() const {
  std::vector<std::uint32_t> all;
  for (const auto* sides : {&schedule_.sides, &schedule_.other_sites})
    for (const ScheduledSide& side : *sides)
      all.insert(all.end(), side.lines.begin(), side.lines.end());
  return all;
}

std::uint8_t Steering::sides_at(Call call, std::uint64_t pc) {
  Recorder* recorder = Recorder::get();
  Task* task = recorder != nullptr ? recorder->task() : nullptr;
  return static_cast<std::uint8_t>(1 +
                                   (task != nullptr ? sides_of(call, task->sites.find(pc, 0)) : 0));
}

bool Steering::wants(std::uint8_t sides) const {
  return sides != 1 || t_unfinished == Unfinished::Access;
}

// The bytes of the race at this rank's addresses in this run.
ByteRange Steering::bytes_of_race() const {
  ByteRange range{};
  if (schedule_.win == Uid()) return range;
  host_.read_definitions([&](const Definitions& known) {
    for (const auto& [id, window] : known.wins) {
      if (window.uid != schedule_.win) continue;
      const std::int64_t begin = static_cast<std::int64_t>(window.base) + schedule_.offset;
      range = {begin, begin + static_cast<std::int64_t>(schedule_.bytes)};
    }
  });
  return range;
}

void Steering::end_accesses() {
  if (std::exchange(t_unfinished, Unfinished::Nothing) != Unfinished::Nothing) first_is_done();
}

void Steering::reach_access(std::uint8_t which, std::vector<Strided> footprint, bool loop) {
  if (t_unfinished == Unfinished::Access) end_accesses();
  if (which - 1u == kOtherSite) hold_at_other_site();
  const std::uint32_t sides = (which - 1u) & kSides;
  if (sides == 0 || schedule_.kind == RaceKind::Message) return;
  count_arrival(sides, true);
  TableEntry mine = make_entry(side_of_rank(schedule_, rank_, sides));
  if (footprint.size() > kPieces) {  // those at the bytes of the race first
    const auto [begin, end] = bytes_of_race();
    std::stable_partition(footprint.begin(), footprint.end(), [&](const Strided& strided) {
      std::int64_t last = strided.offset + strided.length;
      for (const Dimension& dimension : strided.dimensions)
        last += (dimension.count - 1) * std::max<std::int64_t>(dimension.stride, 0);
      return strided.offset < end && begin < last;
    });
  }
  for (const Strided& strided : footprint) {
    Strided at = strided;
    for (const FindPlace& find : places_)
      if (const auto place = find(strided.offset)) {
        mine.owner = place->owner.value;
        at.offset = place->address;
        break;
      }
    add_piece(mine, at);
  }
  std::uint32_t slot = 0;
  const Turn turn = reach_site(mine, false, slot);
  if (turn == Turn::Second) wait_for_first();
  if (turn == Turn::First) store_meeting();
  if (turn != Turn::Proceed) stop_for_debugger();
  if (turn != Turn::First) return;
  t_unfinished = loop ? Unfinished::Loop : Unfinished::Access;
}

}  // namespace photofinish
