#include "report/message_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/block.h"
#include "report/describe.h"
#include "report/event_text.h"

namespace photofinish {
namespace {

// "MPI_Recv solver.c:130", as far as it is known.
std::string call_at(WorldRank rank, SiteId site, RunNotes& notes) {
  const SiteNotes& known = notes.site(rank, site);
  if (!known.call) return known.location.empty() ? "a call" : known.location;
  return fmt::format("{}{}{}", traits(*known.call).name, known.location.empty() ? "" : " ",
                     known.location);
}

std::string call_of(WorldRank rank, SiteId site, const char* otherwise, RunNotes& notes) {
  const SiteNotes& known = notes.site(rank, site);
  return known.call ? std::string(traits(*known.call).name) : otherwise;
}

std::string tag_text(std::int64_t tag) {
  return tag == kAnyTag ? "any tag" : fmt::format("tag {}", tag);
}
std::string source_text(WorldRank source) {
  return source == kAnySource ? "any source" : fmt::format("rank {}", rank_text(source));
}

EndDocument end_at(const char* role, const char* access, const MessageEnd& at, RunNotes& notes) {
  EndDocument end{.role = role, .access = access, .call = call_of(at.rank, at.site, "", notes)};
  end.rank = at.rank;
  end.stack = notes.site(at.rank, at.site).frames;
  end.no_stack = notes.trouble(at.rank);
  end.source = notes.source_of(end.stack);
  end.regions = notes.scopes(at.rank, at.site, at.site_key).regions;
  end.begin = at.timestamp;
  end.end = at.timestamp + 1;
  return end;
}

std::string message_of(const MessageEnd& send, RunNotes& notes) {
  return fmt::format("the message of rank {}, {} with {}", rank_text(send.rank),
                     call_of(send.rank, send.site, "sent", notes), tag_text(send.tag));
}

// The evidence is another receive at the same call site, not the reported one.
std::string another_time(const MessageFinding& finding, const MessageFinding::Other& other) {
  const std::string who = other.receive.rank == finding.receive.rank
                              ? "in another instance"
                              : fmt::format("on rank {}", rank_text(other.receive.rank));
  if (other.got.rank.value < 0) return fmt::format(" ({}, when it was canceled)", who);
  return fmt::format(" ({}, when it received the message of rank {})", who,
                     rank_text(other.got.rank));
}

// Messages of one rank do not overtake each other, unless several threads post them or their
// receives.
bool is_between_threads(const MessageFinding& finding) {
  return finding.taker == Taker::Receive && finding.others.front().send.rank == finding.got.rank;
}

std::string why(const MessageFinding& finding) {
  const MessageFinding::Other& other = finding.others.front();
  const std::string name = finding.taker == Taker::Probe ? "probe" : "receive";
  if (finding.taker == Taker::Cancelled)
    return fmt::format(
        "The match depends on timing: the {} was canceled, and no happens-before path leads from "
        "the cancellation to the send of rank {}.",
        name, rank_text(other.send.rank));
  if (is_between_threads(finding))
    return fmt::format(
        "The match depends on timing: the {} accepts both messages of rank {}, and no "
        "happens-before path orders the threads that send or receive them.",
        name, rank_text(other.send.rank));
  const std::string wild =
      finding.wanted.source == kAnySource ? "accepts any source" : "accepts this message too";
  return fmt::format(
      "The match depends on timing: the {} {}, and no happens-before path leads from its "
      "completion to the send of rank {}.",
      name, wild, rank_text(other.send.rank));
}

std::string advice(const MessageFinding& finding) {
  if (finding.taker == Taker::Cancelled)
    return fmt::format(
        "Try: after the cancellation, a message to rank {}, which it receives before "
        "its send.",
        rank_text(finding.others.front().send.rank));
  if (is_between_threads(finding))
    return "Try: a different tag or communicator for each thread, or order the threads' calls. If "
           "every match is correct, mark the receive as intended (photofinish/annotate.h) or "
           "suppress it.";
  const bool tags_differ =
      finding.wanted.tag == kAnyTag && std::all_of(finding.others.begin(), finding.others.end(),
                                                   [&](const MessageFinding::Other& other) {
                                                     return other.send.tag != finding.got.tag;
                                                   });
  return fmt::format(
      "Try: name the source{}, or let {} send only after this {}. If every match is correct, mark "
      "the receive as intended (photofinish/annotate.h) or suppress it.",
      tags_differ ? " or the tag" : ", use different tags",
      finding.others.size() > 1
          ? "the others"
          : fmt::format("rank {}", rank_text(finding.others.front().send.rank)),
      finding.taker == Taker::Probe ? "probe and its receive" : "receive");
}

}  // namespace

FindingDocument describe_message(const MessageFinding& finding, std::size_t number, RunNotes& notes,
                                 const Confirmation* confirmation) {
  FindingDocument reported{
      .number = number, .kind = FindingKind::MessageRace, .key = key_of(finding)};
  if (confirmation != nullptr) reported.confirmation = *confirmation;
  reported.times = finding.times;
  reported.ranks = finding.ranks;
  const MessageEnd& receive = finding.receive;
  const std::string& comm = notes.communicator(receive.rank, finding.comm);
  reported.ends.push_back(end_at("receive", "receive", receive, notes));
  reported.ends.back().headline = fmt::format(
      "{} by rank {} from {} with {}{}", call_of(receive.rank, receive.site, "Receive", notes),
      rank_text(receive.rank), source_text(finding.wanted.source), tag_text(finding.wanted.tag),
      comm.empty() ? "" : fmt::format(", communicator \"{}\"", comm));
  if (finding.got.rank.value < 0) {
    reported.ends.push_back({.role = "got",
                             .access = "nothing",
                             .headline = "was canceled",
                             .nothing = true,
                             .rank = kProcNull});
  } else {
    reported.ends.push_back(end_at("got", "send", finding.got, notes));
    reported.ends.back().headline =
        (finding.taker == Taker::Probe ? "saw " : "got ") + message_of(finding.got, notes);
  }
  for (const MessageFinding::Other& other : finding.others) {
    reported.ends.push_back(end_at("other", "send", other.send, notes));
    reported.ends.back().headline = fmt::format(
        "could have {} {}{}", finding.taker == Taker::Probe ? "seen" : "got",
        message_of(other.send, notes), other.unmatched ? ", which was never received" : "");
    if (!is_of_example(finding, other))
      reported.ends.back().headline += another_time(finding, other);
  }
  reported.why = why(finding);
  reported.advice = advice(finding);
  return reported;
}

namespace {

// Whether a rank waits in a send, or for one. An unknown call counts as one.
bool waits_in_a_send(const Deadlock& deadlock, RunNotes& notes) {
  return std::any_of(deadlock.waits.begin(), deadlock.waits.end(),
                     [&](const Deadlock::Waits& waits) {
                       if (waits.posted == SiteId()) return false;
                       const auto& call = notes.site(waits.rank, waits.posted).call;
                       return !call || (traits(*call).action != Action::Receive &&
                                        traits(*call).action != Action::MatchedReceive);
                     });
}

bool all_in_collectives(const Deadlock& deadlock) {
  return std::all_of(deadlock.waits.begin(), deadlock.waits.end(),
                     [](const auto& waits) { return waits.posted == SiteId() && !waits.for_lock; });
}

// Post, start, complete and wait: calls of some ranks of a window, which are not collective.
bool waits_for_epoch(const Deadlock& deadlock, RunNotes& notes) {
  return std::any_of(deadlock.waits.begin(), deadlock.waits.end(), [&](const auto& waits) {
    const auto& call = notes.site(waits.rank, waits.site).call;
    if (!call) return false;
    const Action action = traits(*call).action;
    return action == Action::Post || action == Action::StartEpoch || action == Action::Complete ||
           action == Action::WaitEpoch;
  });
}

std::string advice(const Deadlock& deadlock, RunNotes& notes) {
  const auto any = [&](auto is) {
    return std::any_of(deadlock.waits.begin(), deadlock.waits.end(), is);
  };
  if (any([](const auto& waits) { return waits.for_lock; }))
    return "Try: unlock the window before waiting for other ranks.";
  if (waits_for_epoch(deadlock, notes))
    return "Try: for each MPI_Win_post, an MPI_Win_start and an MPI_Win_complete of every rank in "
           "its group, before these ranks wait for anything else.";
  if (all_in_collectives(deadlock))
    return "Try: call the same collectives, in the same order and with the same root, on all ranks "
           "of the communicator.";
  if (!deadlock.cycle && deadlock.came_about)
    return waits_in_a_send(deadlock, notes)
               ? "Try: receive the message before MPI_Finalize, or do not send it."
               : "Try: send the message before MPI_Finalize, or do not wait for it.";
  if (!deadlock.cycle) return "Try: receive the message, or do not send it.";
  return waits_in_a_send(deadlock, notes) ? "Try: MPI_Sendrecv, or MPI_Irecv before the sends."
                                          : "Try: on one of these ranks, move the send or the "
                                            "collective in front of the receive.";
}

// "rank 1", "rank 1, which has finished (MPI_Finalize a.c:40)", "a message from any rank"; empty:
// for no rank, since no call matches.
std::string waited_for(const Deadlock::Waits& waits, bool came_about, RunNotes& notes) {
  if (waits.on == kAnySource) return "a message from any rank";
  if (waits.on.value < 0) return "";
  const std::string rank = fmt::format("rank {}", rank_text(waits.on));
  if (waits.for_lock) return fmt::format("the lock that {} holds", rank);
  return came_about && waits.finalize != SiteId()
             ? fmt::format("{}, which has finished ({})", rank,
                           call_at(waits.on, waits.finalize, notes))
             : rank;
}

// " (tag 7)", " (to rank 2, tag 7, communicator "halo")": what the waiting call accepts or sends.
std::string message_text(const Deadlock::Waits& waits, RunNotes& notes) {
  using For = Deadlock::Waits::For;
  if (waits.what == For::Other) return "";
  std::string text;
  if (waits.peer.value >= 0 && waits.peer != waits.on)
    text =
        fmt::format("{} rank {}, ", waits.what == For::Send ? "to" : "from", rank_text(waits.peer));
  text += tag_text(waits.tag);
  if (const std::string& comm = notes.communicator(waits.rank, waits.comm);
      !comm.empty() && comm != "MPI_COMM_WORLD")
    text += fmt::format(", communicator \"{}\"", comm);
  return fmt::format(" ({})", text);
}

// The communicator of the collective of MPI that the rank waits in; empty: none, or not known.
std::string communicator_of(const Deadlock::Waits& waits, RunNotes& notes) {
  const SiteNotes& site = notes.site(waits.rank, waits.site);
  const bool is_collective = waits.what == Deadlock::Waits::For::Other && site.call &&
                             traits(*site.call).name.starts_with("MPI_");
  return is_collective ? site.comm : "";
}

std::set<std::string> communicators_of(const Deadlock& deadlock, RunNotes& notes) {
  std::set<std::string> comms;
  for (const Deadlock::Waits& waits : deadlock.waits) comms.insert(communicator_of(waits, notes));
  comms.erase("");
  return comms;
}

// A send and a receive of two waiting ranks that name each other, but do not match.
struct Mismatch {
  const Deadlock::Waits *send = nullptr, *receive = nullptr;
};
Mismatch mismatch(const Deadlock& deadlock) {
  using For = Deadlock::Waits::For;
  for (const Deadlock::Waits& send : deadlock.waits)
    for (const Deadlock::Waits& receive : deadlock.waits) {
      const bool receives = receive.what == For::Receive || receive.what == For::Probe;
      if (send.what != For::Send || !receives || send.peer != receive.rank ||
          (receive.peer != kAnySource && receive.peer != send.rank))
        continue;
      if (send.comm != receive.comm || (receive.tag != kAnyTag && receive.tag != send.tag))
        return {&send, &receive};
    }
  return {};
}

std::string mismatch_advice(const Mismatch& pair, RunNotes& notes) {
  const auto operation_at = [&](const Deadlock::Waits& waits) {
    return call_at(waits.rank, waits.posted == SiteId() ? waits.site : waits.posted, notes);
  };
  const std::string send = operation_at(*pair.send), receive = operation_at(*pair.receive);
  if (pair.send->comm != pair.receive->comm)
    return fmt::format("Try: the same communicator in {} and {}.", send, receive);
  return fmt::format(
      "Try: the same tag in {} (tag {}) and {} (tag {}), or a receive of tag {} before {}.", send,
      pair.send->tag, receive, pair.receive->tag, pair.send->tag,
      call_at(pair.receive->rank, pair.receive->site, notes));
}

}  // namespace

DeadlockDocument describe_deadlock(const Deadlock& deadlock, RunNotes& notes) {
  DeadlockDocument reported{
      .came_about = deadlock.came_about, .certain = !deadlock.other_match, .times = deadlock.times};
  std::set<std::string_view> calls;
  const std::set<std::string> comms = communicators_of(deadlock, notes);
  const bool names_comms = comms.size() > 1 || !comms.contains("MPI_COMM_WORLD");
  for (const Deadlock::Waits& waits : deadlock.waits) {
    const std::string at = call_at(waits.rank, waits.site, notes);
    if (const auto& call = notes.site(waits.rank, waits.site).call)
      calls.insert(traits(*call).name);
    std::string line = fmt::format("rank {} waits in {}", rank_text(waits.rank), at);
    const std::string whom = waited_for(waits, deadlock.came_about, notes);
    if (waits.posted != SiteId() && waits.posted != waits.site) {
      line += fmt::format(" for a match of its {}{}{}", call_at(waits.rank, waits.posted, notes),
                          message_text(waits, notes),
                          waits.on == kAnySource ? " by any rank"
                          : whom.empty()         ? ", which never comes"
                                                 : " by " + whom);
    } else {
      line += message_text(waits, notes);
      if (const std::string comm = communicator_of(waits, notes); !comm.empty() && names_comms)
        line += fmt::format(" ({})", comm);
      line += " for " + (whom.empty() ? "a matching call that never comes" : whom);
    }
    reported.waits.push_back({waits.rank, waits.on, at, line,
                              notes.site(waits.rank, waits.site).frames, notes.trouble(waits.rank),
                              notes.source_of(notes.site(waits.rank, waits.site).frames)});
  }
  if (!deadlock.behind.empty())
    reported.remarks.push_back(fmt::format("{} wait{} for these.",
                                           capitalised(ranks_of(deadlock.behind)),
                                           deadlock.behind.size() == 1 ? "s" : ""));
  if (!deadlock.cycle && !deadlock.came_about && !deadlock.waits.empty())
    reported.remarks.push_back(fmt::format("No rank makes the call that rank {} waits for.",
                                           rank_text(deadlock.waits.back().rank)));
  if (deadlock.other_match)
    reported.remarks.push_back(
        "A receive could have matched another message, so the deadlock may not happen every time.");
  if (deadlock.came_about && all_in_collectives(deadlock) && calls.size() == 1 && comms.size() > 1)
    reported.remarks.push_back("The ranks are in collectives on different communicators.");
  if (deadlock.came_about && all_in_collectives(deadlock) && calls.size() > 1 &&
      !waits_for_epoch(deadlock, notes))
    reported.remarks.push_back(
        fmt::format("The ranks are in different collectives: {}.", fmt::join(calls, ", ")));
  if (deadlock.came_about && !deadlock.cycle)
    reported.remarks.push_back("No rank is left that could end the wait.");
  if (deadlock.came_about && deadlock.cycle && deadlock.waits.size() > 2)
    reported.remarks.push_back("Each rank waits for the next, and the last for the first.");
  const Mismatch pair = mismatch(deadlock);
  reported.advice = pair.send != nullptr ? mismatch_advice(pair, notes) : advice(deadlock, notes);
  return reported;
}

namespace {

// "MPI_Test a.c:12", or the first and the number of further ones.
std::string answers(const MessageFindings& messages, RunNotes& notes) {
  std::set<std::string> calls;
  for (const TimingDependence& one : messages.answers)
    calls.insert(call_at(one.at.rank, one.at.site, notes));
  return calls.size() == 1 ? *calls.begin()
                           : fmt::format("{} and {} more", *calls.begin(), calls.size() - 1);
}

// Whether the run depends on send buffering.
std::string buffering_verdict(const MessageFindings& messages, bool complete, RunNotes& notes) {
  const auto unknown = [](const std::string& why) {
    return "buffering dependence unknown: " + why;
  };
  const auto any_deadlock = [&](const auto& is) {
    return std::any_of(messages.deadlocks.begin(), messages.deadlocks.end(), is);
  };
  if (messages.threads) return unknown("ranks call MPI from several threads");
  if (any_deadlock([](const Deadlock& one) { return one.came_about; }))
    return "deadlocked, as the warning above shows";
  if (any_deadlock([](const Deadlock& one) { return !one.other_match; }))
    return fmt::format("depends on send buffering: without it the run deadlocks, as the {}",
                       messages.deadlocks.size() == 1 ? "note above shows" : "notes above show");
  if (!messages.deadlocks.empty())
    return unknown("without buffering a receive matches another message than it did in this run");
  if (messages.buffers_given_up) return unknown("the check needs more memory than --memory allows");
  if (!complete || !messages.followed) return unknown("only part of the run was recorded");
  if (messages.unsure)
    return unknown(messages.answers.empty()
                       ? "it depends on which messages its receives match"
                       : fmt::format("without buffering {} would return another result, and this "
                                     "run does not show what follows",
                                     answers(messages, notes)));
  return fmt::format(
      "independent of send buffering: the run completes even if no send is buffered{}{}",
      messages.races.empty() ? "" : ", provided that its receives match the same messages",
      messages.answers.empty()
          ? ""
          : fmt::format(", unless the program does something else when {} has another result",
                        answers(messages, notes)));
}

}  // namespace

std::string verdicts(const MessageFindings& messages, std::size_t races, bool complete,
                     RunNotes& notes) {
  // Most programs read clocks, and few depend on them. Values fetched from a window, or the order
  // of lock owners, need not matter either. Such calls are listed, but do not change the verdict by
  // themselves.
  const auto may_not_matter = [&](const TimingDependence& one) {
    const auto call = notes.site(one.at.rank, one.at.site).call;
    return call && (traits(*call).action == Action::ReadClock ||
                    traits(*call).action == Action::Lock || is_fetch(traits(*call).action));
  };
  if (!messages.checked ||
      (messages.messages == 0 &&
       std::all_of(messages.timing.begin(), messages.timing.end(), may_not_matter) &&
       messages.deadlocks.empty()))
    return "";
  std::vector<std::string> causes;
  if (!messages.races.empty())
    causes.push_back(
        messages.races.size() == 1
            ? "a receive could have matched another message"
            : fmt::format("{} receives could have matched other messages", messages.races.size()));
  if (races > 0) causes.push_back(fmt::format("{} race{} in memory", races, races == 1 ? "" : "s"));
  std::map<std::string, std::uint64_t> timing;  // a line may have several such calls
  std::set<std::string> clocks, fetches, locks;
  for (const TimingDependence& one : messages.timing) {
    const std::string call = call_at(one.at.rank, one.at.site, notes);
    if (!may_not_matter(one))
      timing[call] += one.times;
    else if (const Action action = traits(*notes.site(one.at.rank, one.at.site).call).action;
             action == Action::ReadClock)
      clocks.insert(call);
    else
      (action == Action::Lock ? locks : fetches).insert(call);
  }
  constexpr std::size_t kMost = 4;
  std::size_t reported = 0;
  for (const auto& [call, times] : timing)
    if (reported++ < kMost)
      causes.push_back(fmt::format("the result of {} depends on timing ({} call{})", call, times,
                                   times == 1 ? "" : "s"));
  if (reported > kMost)
    causes.push_back(fmt::format("so do the results of {} more call{}", reported - kMost,
                                 reported - kMost == 1 ? "" : "s"));
  std::vector<std::string> unless;
  const auto goes_by = [&](std::string_view what, const std::set<std::string>& calls) {
    if (!calls.empty())
      unless.push_back(
          fmt::format("{} ({}{})", what, *calls.begin(),
                      calls.size() == 1 ? "" : fmt::format(" and {} more", calls.size() - 1)));
  };
  goes_by("clock values", clocks);
  goes_by("values it fetches from windows", fetches);
  goes_by("the order of window locks", locks);
  std::string text;
  if (!causes.empty())
    text = fmt::format("not deterministic: {}", fmt::join(causes, "; "));
  else if (messages.races_given_up)
    text =
        "determinism unknown: message races were not checked, which needs more memory than "
        "--memory allows";
  else if (!complete || !messages.followed)
    text =
        "determinism unknown: only part of the run was recorded, and that part has no message race";
  else
    text = fmt::format(
        "deterministic{}{}: no message race, and no {}call whose result depends on timing",
        unless.empty() ? "" : ", unless the program depends on ", fmt::join(unless, " or "),
        unless.empty() ? "" : "other ");
  return fmt::format("VERDICT: photofinish: {}\nVERDICT: photofinish: {}\n", text,
                     buffering_verdict(messages, complete, notes));
}

std::vector<MessageFinding> merge_by_where(std::vector<MessageFinding> findings, RunNotes& notes) {
  const auto where = [&](const MessageEnd& end) {
    return notes.key_as_read(end.rank, end.site, end.site_key);
  };
  std::vector<MessageFinding> merged;
  std::map<std::uint64_t, std::size_t> known;
  for (MessageFinding& finding : findings) {
    const auto [at, added] = known.try_emplace(where(finding.receive), merged.size());
    if (added) merged.push_back({});
    MessageFinding& into = merged[at->second];
    std::vector<MessageFinding::Other> others = std::exchange(finding.others, {});
    if (added) {
      into = std::move(finding);
    } else {
      into.times += finding.times;
      into.ranks.merge(finding.ranks);
    }
    for (const MessageFinding::Other& other : others) {
      const auto same = std::find_if(into.others.begin(), into.others.end(), [&](const auto& one) {
        return where(one.send) == where(other.send);
      });
      if (same == into.others.end())
        into.others.push_back(other);
      else
        same->times += other.times;
    }
  }
  return merged;
}

}  // namespace photofinish
