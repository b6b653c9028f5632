#include "report/run_notes.h"

#include "report/site_text.h"
#include "trace/reader.h"

namespace photofinish {

RunNotes::RunNotes(std::string directory, const std::vector<Finding>& findings) : directory_(std::move(directory)) {
  for (const Finding& finding : findings) {
    for (const FindingSide& side : finding.sides) {
      RankNotes& rank = ranks_[side.rank];
      rank.sites[side.site];
      for (const SiteId caller : {side.opened, side.closed}) {
        if (caller == SiteId()) continue;
        rank.sites[caller];
        rank.callers.insert(caller);
      }
      // A window's name is a rank's own: the owner may have given it none.
      if (finding.win != Uid()) rank.windows[finding.win];
    }
    if (finding.win != Uid()) ranks_[finding.owner].windows[finding.win];
  }
}

const SiteNotes& RunNotes::site(WorldRank rank, SiteId site) { return notes(rank).sites[site]; }
const WindowNotes& RunNotes::window(WorldRank rank, Uid window) { return notes(rank).windows[window]; }

RunNotes::RankNotes& RunNotes::notes(WorldRank rank) {
  RankNotes& notes = ranks_[rank];
  if (!notes.read) read(rank, notes);
  notes.read = true;
  return notes;
}

void RunNotes::read(WorldRank rank, RankNotes& notes) {
  auto trace = RankTrace::open(directory_, rank);
  if (!trace) {
    notes.trouble = trace.error().message;
    return;
  }
  const Definitions& definitions = (*trace)->definitions();
  SiteText text(definitions, symbolizer_);
  for (auto& [site, wanted] : notes.sites)
    wanted = {.stack = text.stack(site), .place = text.place(site), .location = text.location(site)};

  std::map<WinId, WindowNotes*> creations;
  for (const auto& [id, window] : definitions.wins)
    if (const auto wanted = notes.windows.find(window.uid); wanted != notes.windows.end()) {
      wanted->second.name = window.name;
      wanted->second.by_address = window.flavour == WinFlavour::Dynamic;
      creations.emplace(id, &wanted->second);
    }
  std::set<SiteId> callers = notes.callers;
  const Event* event = nullptr;
  while ((!callers.empty() || !creations.empty()) && (*trace)->next(event)) {
    if (callers.erase(event->site) != 0) notes.sites[event->site].call = event->call;
    if (!event->fields.has(Field::new_win)) continue;
    const auto created = creations.find(WinId(static_cast<std::uint32_t>(event->fields[Field::new_win])));
    if (created == creations.end()) continue;
    created->second->created_by = event->call;
    created->second->created_at = text.place(event->site);
    creations.erase(created);
  }
}

}  // namespace photofinish
