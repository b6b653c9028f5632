#include "report/fence_notes.h"

#include <algorithm>

#include "report/side_words.h"

namespace photofinish {
namespace {

// The operation in a fence epoch, or that may be; null: none.
const FindingSide* operation_of(const Finding& finding) {
  const auto side =
      std::find_if(std::begin(finding.sides), std::end(finding.sides), [](const FindingSide& s) {
        return s.epoch.kind == EpochKind::Fence ||
               (is_buffer(s) && is_one_sided(s.call) && s.opened != SiteId());
      });
  return side == std::end(finding.sides) ? nullptr : side;
}

}  // namespace

bool FenceNotes::may_separate(const Finding& finding) {
  const FindingSide* operation = operation_of(finding);
  return operation != nullptr &&
         (finding.win != Uid() || finding.sides[0].rank == finding.sides[1].rank);
}

FenceNotes::Point FenceNotes::point(const Finding& finding, const FindingSide& side) {
  if (finding.win != Uid()) return {half_of(side.begin), finding.win, 0};
  return {half_of(side.begin), Uid(), event_of(operation_of(finding)->begin)};
}

void FenceNotes::want(const Finding& finding, const FindingSide& side) {
  const Point wanted = point(finding, side);
  wanted_.insert(wanted);
  if (wanted.win == Uid()) windows_[wanted.operation];
}

const FenceNotes::Before& FenceNotes::before(const Finding& finding,
                                             const FindingSide& side) const {
  static const Before none;
  const auto known = before_.find(point(finding, side));
  return known == before_.end() ? none : known->second;
}

void FenceNotes::answer(std::uint64_t half) {
  for (; !wanted_.empty() && wanted_.begin()->half <= half; wanted_.erase(wanted_.begin())) {
    const Point& wanted = *wanted_.begin();
    before_[wanted] = fences_[wanted.win != Uid() ? wanted.win : windows_[wanted.operation]];
  }
}

void FenceNotes::follow(const Event& event, std::uint64_t number, const Definitions& definitions,
                        const std::function<std::string()>& location) {
  const auto window = [&] {
    const auto found =
        definitions.wins.find(WinId(static_cast<std::uint32_t>(event.fields[Field::win])));
    return found == definitions.wins.end() ? Uid() : found->second.uid;
  };
  if (const auto operation = windows_.find(number);
      operation != windows_.end() && event.fields.has(Field::win))
    operation->second = window();
  answer(2 * number);
  const CallTraits& call = traits(event.call);
  if (call.action != Action::Fence) return;
  Before& fences = fences_[window()];
  ++fences.count;
  const bool asserted = (event.fields[Field::assertion] & kNoPrecede) != 0;
  fences.last = asserted ? std::string(call.name) + " " + location() : "";
}

}  // namespace photofinish
