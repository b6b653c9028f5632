#include "detect/message_walk.h"

#include "detect/timeline.h"

namespace photofinish {

bool concerns_messages(Action action) {
  switch (action) {
    case Action::Load:
    case Action::Store:
    case Action::Put:
    case Action::Get:
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
    case Action::WinSync:
    case Action::FileRead:
    case Action::FileWrite:
    case Action::TaskRelease:
    case Action::TaskAcquire:
      return false;
    default:
      return !concerns_locks(action);
  }
}

bool concerns_locks(Action action) {
  switch (action) {
    case Action::Lock:
    case Action::LockAll:
    case Action::Unlock:
    case Action::UnlockAll:
    case Action::Flush:
    case Action::FlushAll:
    case Action::FlushLocal:
    case Action::FlushLocalAll:
      return true;
    default:
      return false;
  }
}

std::pair<MessageStep, MessageStep> halves(const MessageStep& step) {
  std::pair<MessageStep, MessageStep> both{step, step};
  both.first.at_once = both.second.at_once = false;
  both.second.kind = step.kind == MessageStep::Kind::Send ? MessageStep::Kind::CompleteSend
                                                          : MessageStep::Kind::CompleteReceive;
  return both;
}

bool MessageSink::take_halves(const MessageStep& whole) {
  if (!whole.at_once) return false;
  auto [posted, complete] = halves(whole);
  step(std::move(posted));
  step(std::move(complete));
  if (whole.kind == MessageStep::Kind::Receive) took(whole.operation, whole.key);
  return true;
}

namespace {

Standstill standstill(const Deadlock& deadlock, bool came_about) {
  Standstill result;
  result.came_about = came_about;
  result.cycle = deadlock.cycle;
  result.other_match = deadlock.other_match;
  result.times = deadlock.count;
  result.slice = deadlock.slice;
  result.behind = deadlock.behind;
  for (const Deadlock::Waits& waits : deadlock.waits)
    result.waits.push_back({waits.rank, waits.step.site, waits.posted.site, waits.on,
                            waits.step.site_key, waits.step.kind == MessageStep::Kind::AwaitLock,
                            waits.finalize});
  return result;
}

}  // namespace

MessageFindings MessageWalk::findings(const std::vector<RankEnding>& endings) {
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
  for (const Deadlock& deadlock : seen_.proven_deadlocks(endings))
    all.standstills.push_back(standstill(deadlock, true));
  for (const Deadlock& deadlock : unbuffered_.deadlocks())
    all.standstills.push_back(standstill(deadlock, false));
  all.answers = unbuffered_.answers();
  all.unsure = unbuffered_.unsure();
  all.unsure_after = unbuffered_.unsure_after();
  return all;
}

}  // namespace photofinish
