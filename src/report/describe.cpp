#include "report/describe.h"

#include "report/block.h"
#include "report/finding_words.h"

namespace photofinish {
namespace {

std::optional<LocationDocument> where(WorldRank rank, SiteId site, RunNotes& notes) {
  if (site == SiteId()) return std::nullopt;
  const SiteNotes& known = notes.site(rank, site);
  return LocationDocument{known.call ? std::string(traits(*known.call).name) : "", known.frames};
}

}  // namespace

FindingDocument describe_finding(const Finding& finding, std::size_t number, RunNotes& notes,
                                 const Confirmation* confirmation) {
  const FindingWords words(finding, notes);
  FindingDocument reported{
      .number = number,
      .kind = finding.win == Uid() ? FindingKind::BufferRace : FindingKind::OneSidedRace,
      .key = key_of(finding)};
  if (confirmation != nullptr) reported.confirmation = *confirmation;
  reported.times = finding.times;
  reported.ranks = finding.ranks;
  reported.process = words.process();
  for (const int index : {0, 1}) {
    const FindingSide& side = finding.sides[index];
    const std::string headline = words.headline(index);
    EndDocument end{.role = index == 0 ? "first" : "second",
                    .access = words.access(index),
                    .call = std::string(traits(side.call).name)};
    end.headline = index == 0 ? capitalised(headline) : "conflicts with " + headline;
    end.rank = side.rank;
    if (finding.sides[0].task != 0 || finding.sides[1].task != 0) end.thread = side.task;
    end.stack = notes.site(side.rank, side.site).frames;
    end.no_stack = notes.trouble(side.rank);
    end.source = notes.source_of(end.stack);
    end.regions = notes.scopes(side.rank, side.site, side.site_key).regions;
    end.epoch = words.epoch(index);
    end.opened = where(side.rank, side.opened, notes);
    end.closed = where(side.rank, side.closed, notes);
    end.begin = side.begin;
    end.end = side.end;
    end.bytes = side.bytes;
    reported.ends.push_back(std::move(end));
  }
  const bool in_window = finding.win != Uid();
  reported.memory = MemoryDocument{finding.owner, finding.win, in_window ? words.window() : "",
                                   in_window ? finding.offset : finding.where.begin,
                                   finding.where.end - finding.where.begin};
  reported.memory_text = words.memory();
  reported.why = words.why();
  reported.advice = words.advice();
  return reported;
}

}  // namespace photofinish
