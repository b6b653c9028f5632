#include "report/run_notes.h"

#include "report/site_text.h"
#include "trace/reader.h"

namespace photofinish {

RunNotes::RunNotes(std::string directory, const std::vector<Finding>& findings, const MessageFindings& messages) : directory_(std::move(directory)) {
  for (const MessageFinding& finding : messages.races) {
    want_caller(finding.receive.rank, finding.receive.site);
    ranks_[finding.receive.rank].comms[finding.comm];
    if (finding.got.rank.value >= 0) want_caller(finding.got.rank, finding.got.site);
    for (const MessageFinding::Other& other : finding.others) want_caller(other.send.rank, other.send.site);
  }
  for (const Standstill& standstill : messages.standstills)
    for (const Standstill::Waits& waits : standstill.waits)
      for (const SiteId site : {waits.site, waits.posted}) want_caller(waits.rank, site);
  for (const TimingDependence& timing : messages.timing) want_caller(timing.at.rank, timing.at.site);
  for (const Finding& finding : findings) {
    for (const FindingSide& side : finding.sides) {
      RankNotes& rank = ranks_[side.rank];
      rank.sites[side.site];
      for (const SiteId caller : {side.opened, side.closed}) want_caller(side.rank, caller);
      // A window's name is a rank's own: the owner may have given it none.
      if (finding.win != Uid()) rank.windows[finding.win];
    }
    if (finding.win != Uid()) ranks_[finding.owner].windows[finding.win];
  }
}

void RunNotes::want_caller(WorldRank rank, SiteId site) {
  if (site == SiteId()) return;
  ranks_[rank].sites[site];
  ranks_[rank].callers.insert(site);
}

const SiteNotes& RunNotes::site(WorldRank rank, SiteId site) { return notes(rank).sites[site]; }
const WindowNotes& RunNotes::window(WorldRank rank, Uid window) { return notes(rank).windows[window]; }

const std::string& RunNotes::communicator(WorldRank rank, Uid comm) { return notes(rank).comms[comm]; }

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

  for (const auto& [id, comm] : definitions.comms)
    if (const auto wanted = notes.comms.find(comm.uid); wanted != notes.comms.end() && wanted->second.empty()) wanted->second = comm.name;

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
