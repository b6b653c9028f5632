#include "feed.h"

#include <map>

namespace photofinish::testing {

SitePairs sites_of(const std::set<Pair>& pairs, const SiteOf& site_of) {
  SitePairs sites;
  for (const auto& [receive, send] : pairs) sites.insert({site_of(receive), site_of(send)});
  return sites;
}

MessageEnd end_of(const Execution& execution, Ref ref, const SiteOf& site_of) {
  MessageEnd end;
  end.rank = WorldRank(ref.process);
  end.timestamp = static_cast<Timestamp>(2 * ref.event);
  end.site_key = site_of(ref);
  end.tag = execution.call(ref).tag;
  return end;
}

// The key of the release at an unlock.
static std::uint64_t lock_key(Ref unlock) { return own_site(unlock) | std::uint64_t{1} << 62; }

SitePairs detected(const Execution& execution, const std::vector<Happening>& order,
                   const SiteOf& site_of) {
  MessageRaces races(execution.size());
  std::map<Ref, MessageRaces::Send> sends;
  std::map<Ref, MessageRaces::Receive> receives;
  std::vector<int> begun(static_cast<std::size_t>(execution.size()));
  const auto end = [&](Ref ref) { return end_of(execution, ref, site_of); };
  const auto comm_of = [&](Ref ref) {
    return Uid(static_cast<std::uint64_t>(execution.call(ref).comm) + 7);
  };
  const auto wanted = [&](Ref ref) {
    const Call& call = execution.call(ref);
    return Wanted{call.peer < 0 ? kAnySource : WorldRank(call.peer),
                  call.tag < 0 ? kAnyTag : call.tag};
  };
  const auto races_cancel = [&](Ref ref) {
    if (execution.call(ref).kind == Kind::Receive) races.cancel(receives.at(ref));
  };
  for (const Happening& happening : order) {
    if (happening.link >= 0) {
      const Link& link = execution.links[static_cast<std::size_t>(happening.link)];
      if (link.kind == LinkKind::Cancelled && execution.call(link.receive).kind == Kind::Send)
        races.cancel(sends.at(link.receive));
      if (link.kind == LinkKind::Match)
        races.match(sends.at(*link.send), receives.at(link.receive));
      if (link.kind == LinkKind::Saw)
        races.probe(end(link.receive), comm_of(link.receive), wanted(link.receive),
                    sends.at(*link.send));
      continue;
    }
    const int next = begun[static_cast<std::size_t>(happening.process)]++;
    if (next > 0) {  // what came before is complete
      const Ref last{happening.process, next - 1};
      const Call& call = execution.call(last);
      const Ref of{happening.process, call.of};
      if (call.kind == Kind::WaitReceive) races.complete(receives.at(of));
      if (call.kind == Kind::WaitSend && !execution.is_cancelled(of) &&
          execution.call(of).mode == SendMode::Synchronous)
        races.complete(sends.at(of));
      if (call.kind == Kind::Acquire)
        races.acquire(WorldRank(happening.process), static_cast<std::uint64_t>(call.key));
      if (call.kind == Kind::Lock)
        for (const Link* link = execution.links.data(); link != execution.link_of(last); ++link)
          if (link->kind == LinkKind::Granted && execution.excludes(last, link->receive))
            races.acquire(WorldRank(happening.process),
                          lock_key(*execution.unlock_of(link->receive)));
    }
    const Ref ref{happening.process, next};
    const Call& call = execution.call(ref);
    if (call.kind == Kind::Send)
      sends[ref] = races.send(end(ref), comm_of(ref), WorldRank(call.peer), call.mode);
    if (call.kind == Kind::Receive)
      receives[ref] = races.receive(end(ref), comm_of(ref), wanted(ref));
    if (call.kind == Kind::Cancel)
      if (const Link* link = execution.link_of({ref.process, call.of});
          link != nullptr && link->kind == LinkKind::Cancelled && link->cancel == ref)
        races_cancel(link->receive);
    if (call.kind == Kind::Unlock) races.release(WorldRank(happening.process), lock_key(ref));
    if (call.kind == Kind::Release)
      races.release(WorldRank(happening.process), static_cast<std::uint64_t>(call.key));
  }
  races.finish();
  SitePairs pairs;
  for (const MessageRaceClass& race : races.races())
    pairs.insert({race.first.receive.site_key, race.first.other.site_key});
  return pairs;
}

}  // namespace photofinish::testing
