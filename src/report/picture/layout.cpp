#include "report/picture/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/event_text.h"
#include "report/picture/levels.h"

namespace photofinish {
namespace {

struct Nodes {
  Levels::Node begin = 0, end = 0;
};
struct Tied {
  int lane = 0;
  std::uint64_t index = 0;
};

std::optional<Picture::ArrowKind> one_sided(Action action) {
  switch (action) {
    case Action::Put:
      return Picture::ArrowKind::Put;
    case Action::Get:
      return Picture::ArrowKind::Get;
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
      return Picture::ArrowKind::Accumulate;
    default:
      return std::nullopt;
  }
}

std::string note_of(const NearStep& step, const NearLane& lane) {
  std::string note;
  const Action action = traits(step.call).action;
  const auto add = [&](const std::string& more) { note += (note.empty() ? "" : ", ") + more; };
  if (step.peer.value >= 0 || step.peer == kAnySource) {
    const bool sends = action == Action::Send || action == Action::PartitionedSend;
    const bool receives = action == Action::Receive || action == Action::Probe ||
                          action == Action::PartitionedReceive;
    add(fmt::format("{}rank {}",
                    sends               ? "to "
                    : receives          ? "from "
                    : one_sided(action) ? "at "
                                        : "",
                    rank_text(step.peer)));
  }
  if (step.tag != kAnyTag) add(fmt::format("tag {}", step.tag));
  if (const auto name = lane.windows.find(step.win);
      name != lane.windows.end() && !name->second.empty())
    add(fmt::format("window \"{}\"", name->second));
  return note;
}

class Drawing {
 public:
  Drawing(const FindingDocument& finding, const NearFinding& near)
      : finding_(finding), near_(near), nodes_(near.lanes.size()) {}

  Picture draw() {
    add_nodes();
    add_ties();
    set_sides();
    levels_.solve();
    // From here on every timestamp has its level.
    for (std::size_t i = 0; i < near_.lanes.size(); ++i) draw_lane(static_cast<int>(i));
    draw_ties();
    draw_one_sided();
    draw_ends();
    return std::move(picture_);
  }

 private:
  int level(Levels::Node node) const { return levels_.level(node); }
  const Nodes* nodes(int lane, std::uint64_t index) const {
    const auto& all = nodes_[static_cast<std::size_t>(lane)];
    const auto found = all.find(index);
    return found != all.end() ? &found->second : nullptr;
  }

  void add_nodes() {
    for (std::size_t i = 0; i < near_.lanes.size(); ++i) {
      const Nodes* last = nullptr;
      for (const auto& [index, step] : near_.lanes[i].steps) {
        const Nodes here{levels_.add(step.before), levels_.add(step.after)};
        levels_.before(here.begin, here.end);
        if (last != nullptr) levels_.before(last->end, here.begin);
        last = &(nodes_[i][index] = here);
      }
    }
  }

  void add_ties() {
    for (std::size_t i = 0; i < near_.lanes.size(); ++i)
      for (const auto& [index, step] : near_.lanes[i].steps)
        for (const Tie& tie : step.ties) {
          if (tie.key == 0) continue;
          const Tied here{static_cast<int>(i), index};
          switch (tie.kind) {
            case Tie::Kind::Send:
              sends_[tie.key] = here;
              break;
            case Tie::Kind::Receive:
              receives_[tie.key] = here;
              break;
            case Tie::Kind::Release:
              says_[tie.key].push_back(here);
              break;
            case Tie::Kind::Acquire:
              hears_[tie.key].push_back(here);
              break;
          }
        }
    const auto orders = [&](const Tied& from, const Tied& to) {
      if (from.lane != to.lane)
        levels_.before(nodes(from.lane, from.index)->begin, nodes(to.lane, to.index)->end);
    };
    for (const auto& [key, to] : receives_)
      if (const auto from = sends_.find(key); from != sends_.end()) orders(from->second, to);
    for (const auto& [key, list] : hears_)
      for (const Tied& to : list)
        for (const Tied& from : says_[key]) orders(from, to);
  }

  // Draws the two accesses overlapping, as they may overlap in a run, and the sends that a receive
  // could match side by side.
  void set_sides() {
    std::vector<const Nodes*> begins, ends;
    for (const EndDocument& end : finding_.ends) {
      if (end.nothing || end.role == "receive") continue;
      const int lane = near_.lane_of(end.rank);
      const Nodes *begin = lane < 0 ? nullptr : nodes(lane, end.begin / 2),
                  *over = lane < 0 || end.end == kNever ? begin : nodes(lane, end.end / 2);
      if (begin == nullptr) continue;
      begins.push_back(begin);
      ends.push_back(over != nullptr ? over : begin);
    }
    if (begins.size() < 2 || !levels_.solve()) return;
    if (finding_.kind != FindingKind::MessageRace) {
      levels_.before_if_possible(begins[0]->begin, ends[1]->end);
      levels_.before_if_possible(begins[1]->begin, ends[0]->end);
    }
    for (std::size_t i = 1; i < begins.size(); ++i)
      if (begins[i] != begins[0]) levels_.align(begins[0]->begin, begins[i]->begin);
  }

  void draw_lane(int number) {
    const NearLane& near = near_.lanes[static_cast<std::size_t>(number)];
    Picture::Lane lane{.rank = near.rank};
    std::uint64_t next = 0;
    int last = -1;
    for (const auto& [index, step] : near.steps) {
      const Nodes& here = *nodes(number, index);
      const int begin = level(here.begin), end = level(here.end);
      if (index > next) lane.gaps.push_back({last + 1, begin, index - next});
      const auto where = near.locations.find(step.site);
      lane.steps.push_back({begin, end, step.call,
                            where != near.locations.end() ? where->second : "", step.returned,
                            index, note_of(step, near)});
      next = index + 1;
      last = end;
      picture_.width = std::max(picture_.width, end + 1);
    }
    if (near.events > next) lane.gaps.push_back({last + 1, -1, near.events - next});
    for (const NearEpoch& epoch : near.epochs) {
      const Nodes *opened = nodes(number, epoch.opened), *closed = nodes(number, epoch.closed);
      if (opened != nullptr)
        lane.epochs.push_back({level(opened->end), closed != nullptr ? level(closed->begin) : -1,
                               closed != nullptr, epoch.label});
    }
    picture_.lanes.push_back(std::move(lane));
  }

  void draw_ties() {
    for (const auto& [key, to] : receives_)
      if (const auto from = sends_.find(key);
          from != sends_.end() && from->second.lane != to.lane) {
        const NearStep& send =
            near_.lanes[static_cast<std::size_t>(from->second.lane)].steps.at(from->second.index);
        add_arrow(Picture::ArrowKind::Message, from->second, to,
                  send.tag != kAnyTag ? fmt::format("tag {}", send.tag) : "");
      }
    for (const auto& [key, list] : hears_) {
      std::set<std::pair<int, std::uint64_t>> together;
      for (const Tied& from : says_[key]) together.emplace(from.lane, from.index);
      for (const Tied& to : list) together.emplace(to.lane, to.index);
      if (together.size() < 2) continue;
      const auto& first = *together.begin();
      const Call call =
          near_.lanes[static_cast<std::size_t>(first.first)].steps.at(first.second).call;
      if (is_collective(traits(call).action)) {
        Picture::Join join{.label = std::string(traits(call).name)};
        for (const auto& [lane, index] : together) {
          const Nodes& here = *nodes(lane, index);
          join.parts.push_back({lane, level(here.begin), level(here.end)});
        }
        picture_.joins.push_back(std::move(join));
        continue;
      }
      for (const Tied& from : says_[key])
        for (const Tied& to : list)
          if (from.lane != to.lane) add_arrow(Picture::ArrowKind::Order, from, to, "");
    }
  }

  void add_arrow(Picture::ArrowKind kind, const Tied& from, const Tied& to,
                 const std::string& label) {
    picture_.arrows.push_back({kind, from.lane, level(nodes(from.lane, from.index)->begin), to.lane,
                               level(nodes(to.lane, to.index)->end), label});
  }

  // One-sided operations that are no end of this finding. Where they complete in the target's
  // memory is unknown.
  void draw_one_sided() {
    for (std::size_t i = 0; i < near_.lanes.size(); ++i)
      for (const auto& [index, step] : near_.lanes[i].steps) {
        const auto kind = one_sided(traits(step.call).action);
        const int target = near_.lane_of(step.peer);
        const bool is_end =
            std::any_of(finding_.ends.begin(), finding_.ends.end(), [&](const EndDocument& end) {
              return end.rank == near_.lanes[i].rank && end.begin / 2 == index;
            });
        if (!kind || target < 0 || target == static_cast<int>(i) || is_end) continue;
        const Nodes& here = *nodes(static_cast<int>(i), index);
        picture_.arrows.push_back({*kind, static_cast<int>(i), level(here.begin), target,
                                   level(here.end), std::string(traits(step.call).name)});
      }
  }

  void draw_ends() {
    for (const EndDocument& end : finding_.ends) {
      Picture::End drawn;
      const int lane = end.nothing ? -1 : near_.lane_of(end.rank);
      const Nodes* begin = lane < 0 ? nullptr : nodes(lane, end.begin / 2);
      if (begin != nullptr) {
        drawn.lane = lane;
        drawn.begin = level(begin->begin);
        const Nodes* over = end.end == kNever ? nullptr : nodes(lane, end.end / 2);
        drawn.completes = over != nullptr;
        drawn.end = over != nullptr ? level(end.end % 2 == 0 ? over->begin : over->end) : -1;
        if (finding_.memory) drawn.touches = near_.lane_of(finding_.memory->owner);
      }
      picture_.ends.push_back(drawn);
    }
  }

  const FindingDocument& finding_;
  const NearFinding& near_;
  std::vector<std::map<std::uint64_t, Nodes>> nodes_;  // index: lane
  Levels levels_;
  std::map<std::uint64_t, Tied> sends_, receives_;
  std::map<std::uint64_t, std::vector<Tied>> says_, hears_;
  Picture picture_;
};

}  // namespace

Picture draw(const FindingDocument& finding, const NearFinding& near) {
  return Drawing(finding, near).draw();
}

}  // namespace photofinish
