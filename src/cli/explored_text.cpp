#include "cli/explored_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "frontend/upc/table/upc_call.h"
#include "report/side_words.h"
#include "report/site_text.h"

namespace photofinish {
namespace {

std::string call_at(RankTrace& trace, SiteId site) {
  const Event* event = nullptr;
  trace.rewind();
  while (trace.next(event))
    if (event->site == site) return std::string(traits(event->call).name);
  return "a call";
}

const RankTrace* trace_of(const TracedRun& run, WorldRank rank) {
  const auto index = static_cast<std::size_t>(rank.value);
  return index < run.traces.size() ? run.traces[index].get() : nullptr;
}

const WinDefinition* region_of(const RankTrace& trace, Uid uid) {
  for (const auto& [id, window] : trace.definitions().wins)
    if (window.uid == uid && window.flavour == WinFlavour::Symmetric) return &window;
  return nullptr;
}

std::string plus(std::uint64_t offset) {
  return offset == 0 ? "" : fmt::format(" +0x{:x}", offset);
}

}  // namespace

std::string ExploredText::location(const RankTrace& trace, SiteId site, std::uint64_t site_key) {
  const std::lock_guard lock(mutex_);
  const auto [found, added] = locations_.try_emplace(site_key);
  if (added) found->second = SiteText(trace.definitions(), symbolizer_).location(site);
  return found->second;
}

std::string ExploredText::call(const TracedRun& run, const CallOfRank& one) {
  const RankTrace* const trace = trace_of(run, one.rank);
  const std::string where =
      trace != nullptr ? location(*trace, one.place.site, one.place.site_key) : "";
  const std::string name = one.place.call == UpcCall::strict_read    ? "a strict read"
                           : one.place.call == UpcCall::strict_write ? "a strict write"
                                                                     : name_of(one.place.call);
  return fmt::format("{}{}{}", name, where.empty() ? "" : " at ", where);
}

// Of a heap: "symmetric heap block of x.c:12 +0x8". A later block at the same place replaces an
// earlier one. OpenSHMEM's are found by their address, UPC's by their region and displacement.
std::string ExploredText::block(const TracedRun& run, const ObjectPlace& place,
                                const WinDefinition& region) {
  std::string text;
  for (const auto& trace : run.traces) {
    trace->rewind();
    for (const Event* event = nullptr; trace->next(event);) {
      const FieldSet& fields = event->fields;
      if (traits(event->call).action != Action::SymmetricAllocate) continue;
      const bool by_region = fields.has(Field::win) && fields.has(Field::key);
      if (by_region ? fields[Field::win] != region.id.value
                    : !fields.has(Field::address) || trace->rank() != place.target)
        continue;
      const auto begin =
          static_cast<std::uint64_t>(fields[by_region ? Field::key : Field::address]);
      const std::uint64_t at = place.displacement + (by_region ? 0 : region.base);
      if (at < begin || at - begin >= static_cast<std::uint64_t>(fields[Field::size])) continue;
      const std::string where = SiteText(trace->definitions(), symbolizer_).location(event->site);
      text = fmt::format("the {}{}{}{}", by_region ? "block" : "symmetric heap block",
                         where.empty() ? "" : " of ", where, plus(at - begin));
    }
  }
  return text;
}

std::string ExploredText::word(const TracedRun& run, const ObjectPlace& place,
                               const WinDefinition& region) {
  const RankTrace& trace = *trace_of(run, place.target);
  const std::uint64_t address = region.base + place.displacement;
  const std::lock_guard lock(mutex_);
  if (std::string text = block(run, place, region); !text.empty()) return text;
  for (const auto& [id, module] : trace.definitions().modules) {
    if (address < module.base || process_ == "thread") continue;
    if (const auto variable =
            symbolizer_.variable_at(module.path, address - module.base, module.build_id))
      return fmt::format("`{}`{}", variable->name, plus(variable->offset));
  }
  return process_ == "thread" ? fmt::format("`{}`{}", region.name, plus(place.displacement))
                              : region.name + plus(place.displacement);
}

std::string ExploredText::object(const TracedRun& run, const ObjectPlace& place) {
  const RankTrace* const trace = trace_of(run, place.target);
  const WinDefinition* const region = trace != nullptr ? region_of(*trace, place.window) : nullptr;
  const bool is_word = place.type == SharedObject::Word;
  if (region != nullptr && is_word)
    return fmt::format("{} on {} {}", word(run, place, *region), process_, place.target.value);
  if (region != nullptr) return "the lock " + word(run, place, *region);
  if (!is_word) return fmt::format("the window lock of rank {}", place.target.value);
  return fmt::format("displacement {} of the window of rank {}", place.displacement,
                     place.target.value);
}

std::vector<std::string> ExploredText::not_explored(const TracedRun& run) {
  std::vector<std::string> texts;
  const auto add = [&](std::string text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(std::move(text));
  };
  for (const TimingDependence& one : run.timing) {
    RankTrace& trace = *run.traces[static_cast<std::size_t>(one.at.rank.value)];
    const std::string where = location(trace, one.at.site, one.at.site_key);
    add(fmt::format("the result of {}{}{} depends on timing", call_at(trace, one.at.site),
                    where.empty() ? "" : " ", where));
  }
  for (const CallOfRank& one : run.uncontrolled)
    add(traits(one.place.call).action == Action::Accumulate
            ? "the order of " + call(run, one) + " and other accesses"
            : "the result of " + call(run, one) + " depends on timing");
  for (const CallOfRank& one : run.polling)
    add("how often " + call(run, one) + " repeats before the value changes");
  if (run.puts_or_gets)
    add(process_ == "thread"
            ? "the order of reads and writes of shared memory: see photofinish confirm"
            : "the order of puts and gets: see photofinish confirm");
  if (run.log_is_full) add("atomic operations and locks beyond the first 16,384 of a run");
  if (run.threads)
    add(fmt::format("several threads of a {} {}: their order varies", process_,
                    process_ == "rank" ? "call MPI" : "communicate"));
  return texts;
}

std::vector<std::string> ExploredText::lock_deadlock(const TracedRun& run) {
  std::map<WorldRank, const LockWait*> waits;
  for (const LockWait& wait : run.lock_waits) waits[wait.rank] = &wait;
  std::vector<std::string> texts;
  for (const auto& [rank, wait] : waits) {
    std::set<WorldRank> seen;
    WorldRank at = rank;
    while (waits.contains(at) && seen.insert(at).second) at = waits[at]->holder;
    if (at != rank || seen.empty()) continue;  // it waits for others that do
    texts.push_back(fmt::format("{} {} waits in {} for {}, which {} {} holds", process_, rank.value,
                                call(run, {rank, wait->place}),
                                object(run, run.objects.at(wait->line)), process_,
                                wait->holder.value));
  }
  return texts;
}

}  // namespace photofinish
