#include "detect/sequence_pair.h"

#include <utility>

namespace photofinish {

namespace {

Deadlock deadlock(const WaitChain& chain, bool came_about) {
  Deadlock result;
  result.came_about = came_about;
  result.cycle = chain.cycle;
  result.other_match = chain.other_match;
  result.times = chain.count;
  result.phase = chain.phase;
  result.behind = chain.behind;
  using Kind = MessageStep::Kind;
  using For = Deadlock::Waits::For;
  for (const WaitChain::Waits& waits : chain.waits) {
    const bool probes = waits.step.kind == Kind::Probe;
    const bool completes =
        waits.step.kind == Kind::CompleteSend || waits.step.kind == Kind::CompleteReceive;
    const MessageStep& of = probes ? waits.step : waits.posted;
    Deadlock::Waits& one = result.waits.emplace_back(
        Deadlock::Waits{waits.rank, waits.step.site, waits.posted.site, waits.on,
                        waits.step.site_key, waits.step.kind == Kind::AwaitLock, waits.finalize});
    if (!probes && !completes) continue;
    one.what = probes ? For::Probe : of.kind == Kind::Receive ? For::Receive : For::Send;
    one.peer = of.peer;
    one.tag = of.tag;
    one.comm = of.comm;
  }
  return result;
}

}  // namespace

MessageFindings SequencePair::findings(const std::vector<RankEnding>& endings) {
  MessageFindings all;
  for (const MessageRaceClass& race : races_.races()) {
    const MessageRace& first = race.first;
    MessageFinding& finding = all.races.emplace_back();
    finding.taker = first.taker;
    finding.comm = first.comm;
    finding.wanted = first.wanted;
    finding.receive = first.receive;
    finding.got = first.got;
    finding.others = {{first.other, first.other_unmatched, race.count, first.receive, first.got}};
    finding.times = race.count;
    finding.ranks = race.ranks;
  }
  for (MessageFinding& race : threads_.findings()) all.races.push_back(std::move(race));
  for (const WaitChain& chain : seen_.proven_deadlocks(endings))
    all.deadlocks.push_back(deadlock(chain, true));
  for (const WaitChain& chain : unbuffered_.deadlocks())
    all.deadlocks.push_back(deadlock(chain, false));
  all.answers = unbuffered_.answers();
  all.unsure = unbuffered_.unsure();
  all.unsure_after = unbuffered_.unsure_after();
  return all;
}

}  // namespace photofinish
