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

// "MPI_Recv solver.c:130", or as much of it as is known.
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
  end.regions = notes.scopes(at.rank, at.site, at.site_key).regions;
  end.begin = at.moment;
  end.end = at.moment + 1;
  return end;
}

std::string message_of(const MessageEnd& send, RunNotes& notes) {
  return fmt::format("the message of rank {}, {} with {}", rank_text(send.rank),
                     call_of(send.rank, send.site, "sent", notes), tag_text(send.tag));
}

// It was not the receive that is told of, but another one at its place.
std::string another_time(const MessageFinding& finding, const MessageFinding::Other& other) {
  const std::string who = other.receive.rank == finding.receive.rank
                              ? "another time"
                              : fmt::format("on rank {}", rank_text(other.receive.rank));
  if (other.got.rank.value < 0) return fmt::format(" ({}, when it was cancelled)", who);
  return fmt::format(" ({}, when it got that of rank {})", who, rank_text(other.got.rank));
}

std::string why(const MessageFinding& finding) {
  const MessageFinding::Other& other = finding.others.front();
  const std::string name = finding.taker == Taker::Probe ? "probe" : "receive";
  if (finding.taker == Taker::Cancelled)
    return fmt::format(
        "Nothing decides between them: the {} was cancelled, and nothing keeps the send of rank {} "
        "behind that.",
        name, rank_text(other.send.rank));
  const std::string wild = finding.wanted.source == kAnySource ? "takes a message from any source"
                                                               : "takes this one as well";
  return fmt::format(
      "Nothing decides between them: the {} {}, and nothing makes rank {} wait with its send until "
      "the {} is over.",
      name, wild, rank_text(other.send.rank), name);
}

std::string advice(const MessageFinding& finding) {
  if (finding.taker == Taker::Cancelled)
    return "Try: let the sender know that nobody waits any more, before it sends.";
  return "Try: if it matters which one comes, name the source, give the messages different tags, "
         "or send the second only when the first has arrived; "
         "if any will do, this is as intended.";
}

}  // namespace

FindingDocument describe_message(const MessageFinding& finding, std::size_t number, RunNotes& notes,
                                 const Confirmation* confirmation) {
  FindingDocument told{.number = number, .kind = FindingKind::MessageRace, .key = key_of(finding)};
  if (confirmation != nullptr) told.confirmation = *confirmation;
  told.times = finding.times;
  told.ranks = finding.ranks;
  const MessageEnd& receive = finding.receive;
  const std::string& comm = notes.communicator(receive.rank, finding.comm);
  told.ends.push_back(end_at("receive", "receive", receive, notes));
  told.ends.back().headline = fmt::format(
      "{} by rank {} from {} with {}{}", call_of(receive.rank, receive.site, "Receive", notes),
      rank_text(receive.rank), source_text(finding.wanted.source), tag_text(finding.wanted.tag),
      comm.empty() ? "" : fmt::format(", communicator \"{}\"", comm));
  if (finding.got.rank.value < 0) {
    told.ends.push_back({.role = "got",
                         .access = "nothing",
                         .headline = "was cancelled",
                         .nothing = true,
                         .rank = kProcNull});
  } else {
    told.ends.push_back(end_at("got", "send", finding.got, notes));
    told.ends.back().headline =
        (finding.taker == Taker::Probe ? "saw " : "got ") + message_of(finding.got, notes);
  }
  for (const MessageFinding::Other& other : finding.others) {
    told.ends.push_back(end_at("other", "send", other.send, notes));
    told.ends.back().headline = fmt::format(
        "could have {} {}{}", finding.taker == Taker::Probe ? "seen" : "got",
        message_of(other.send, notes), other.unmatched ? ", which nobody received" : "");
    if (!is_of_example(finding, other)) told.ends.back().headline += another_time(finding, other);
  }
  told.why = why(finding);
  told.advice = advice(finding);
  return told;
}

namespace {

// Whether any of them waits in a send, or for one; where nothing is known of a call, it may be.
bool waits_in_a_send(const Standstill& standstill, RunNotes& notes) {
  return std::any_of(standstill.waits.begin(), standstill.waits.end(),
                     [&](const Standstill::Waits& waits) {
                       if (waits.posted == SiteId()) return false;
                       const auto& call = notes.site(waits.rank, waits.posted).call;
                       return !call || (traits(*call).action != Action::Receive &&
                                        traits(*call).action != Action::MatchedReceive);
                     });
}

std::string advice(const Standstill& standstill, RunNotes& notes) {
  if (!standstill.cycle) return "Try: receive the message, or do not send it.";
  const bool messages = std::any_of(standstill.waits.begin(), standstill.waits.end(),
                                    [](const auto& waits) { return waits.posted != SiteId(); });
  if (!messages) return "Try: call collectives in the same order on all ranks.";
  return waits_in_a_send(standstill, notes)
             ? "Try: MPI_Sendrecv, or MPI_Irecv before the sends."
             : "Try: let one of them send, or call what the others wait for, before it receives.";
}

}  // namespace

StandstillDocument describe_standstill(const Standstill& standstill, RunNotes& notes) {
  StandstillDocument told{.came_about = standstill.came_about, .times = standstill.times};
  for (const Standstill::Waits& waits : standstill.waits) {
    const std::string at = call_at(waits.rank, waits.site, notes);
    std::string line = fmt::format("rank {} waits in {}", rank_text(waits.rank), at);
    if (waits.posted != SiteId() && waits.posted != waits.site)
      line += " for its " + call_at(waits.rank, waits.posted, notes) + " to be matched,";
    line += waits.on.value < 0 ? " for what never comes"
                               : fmt::format(" for rank {}", rank_text(waits.on));
    told.waits.push_back({waits.rank, waits.on, at, line, notes.site(waits.rank, waits.site).frames,
                          notes.trouble(waits.rank)});
  }
  if (!standstill.cycle)
    told.remarks.push_back("The last of them waits for what the run never did.");
  if (standstill.other_match)
    told.remarks.push_back(
        "A receive could go on with another message than it took: it may also come out otherwise.");
  if (standstill.came_about)
    told.remarks.push_back(
        "Each waits for the next, and the last for the first: none of these calls can return.");
  told.advice = advice(standstill, notes);
  return told;
}

namespace {

// "MPI_Test a.c:12", or that and how many more.
std::string answers(const MessageFindings& messages, RunNotes& notes) {
  std::set<std::string> calls;
  for (const TimingDependence& one : messages.answers)
    calls.insert(call_at(one.at.rank, one.at.site, notes));
  return calls.size() == 1 ? *calls.begin()
                           : fmt::format("{} and {} more", *calls.begin(), calls.size() - 1);
}

}  // namespace

std::string verdicts(const MessageFindings& messages, std::size_t races, RunNotes& notes) {
  // Nearly every program reads clocks, and nearly none decides by them; what is fetched from a
  // window need not differ either, nor matter who locks it first. That is told, but makes no
  // verdict by itself.
  const auto may_not_matter = [&](const TimingDependence& one) {
    const auto call = notes.site(one.at.rank, one.at.site).call;
    return call && (traits(*call).action == Action::ReadClock ||
                    traits(*call).action == Action::Lock || is_fetch(traits(*call).action));
  };
  if (!messages.looked ||
      (messages.messages == 0 &&
       std::all_of(messages.timing.begin(), messages.timing.end(), may_not_matter) &&
       messages.standstills.empty()))
    return "";
  std::vector<std::string> causes;
  if (!messages.races.empty())
    causes.push_back(
        messages.races.size() == 1
            ? "a receive could have taken another message"
            : fmt::format("{} receives could have taken other messages", messages.races.size()));
  if (races > 0)
    causes.push_back(races == 1 ? "there is a race in memory"
                                : fmt::format("there are {} races in memory", races));
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
  std::size_t told = 0;
  for (const auto& [call, times] : timing)
    if (told++ < kMost)
      causes.push_back(
          fmt::format("the outcome of {} depends on timing ({})", call, times_text(times)));
  if (told > kMost)
    causes.push_back(
        fmt::format("so does that of {} more call{}", told - kMost, told - kMost == 1 ? "" : "s"));
  std::vector<std::string> unless;
  const auto goes_by = [&](std::string_view what, const std::set<std::string>& calls) {
    if (!calls.empty())
      unless.push_back(
          fmt::format("{} ({}{})", what, *calls.begin(),
                      calls.size() == 1 ? "" : fmt::format(" and {} more", calls.size() - 1)));
  };
  goes_by("the clock that it reads", clocks);
  goes_by("what it fetches from windows", fetches);
  goes_by("who locks a window first", locks);
  std::string text = causes.empty() ? fmt::format(
                                          "VERDICT: photofinish: repeatable{}{}: no message race, "
                                          "and no {}call whose outcome depends on timing\n",
                                          unless.empty() ? "" : ", unless it goes by ",
                                          fmt::join(unless, " or "), unless.empty() ? "" : "other ")
                                    : fmt::format("VERDICT: photofinish: not repeatable: {}\n",
                                                  fmt::join(causes, "; "));
  if (messages.threads)
    text +=
        "VERDICT: photofinish: portable or not is not known: ranks call MPI from several threads\n";
  else if (std::any_of(messages.standstills.begin(), messages.standstills.end(),
                       [](const Standstill& one) { return one.came_about; }))
    text +=
        "VERDICT: photofinish: not portable: it came to a standstill, as the warning above says\n";
  else if (std::any_of(messages.standstills.begin(), messages.standstills.end(),
                       [](const Standstill& one) { return !one.other_match; }))
    text += fmt::format(
        "VERDICT: photofinish: not portable: it needs sends that are buffered, as the {} above\n",
        messages.standstills.size() == 1 ? "note says" : "notes say");
  else if (!messages.standstills.empty())
    text +=
        "VERDICT: photofinish: portable or not is not known: without buffered sends a receive "
        "takes another message than it took here\n";
  else if (!messages.followed)
    text += "VERDICT: photofinish: portable or not is not known: the run did not come to its end\n";
  else if (messages.unsure)
    text += fmt::format("VERDICT: photofinish: portable or not is not known: {}\n",
                        messages.answers.empty()
                            ? "it hangs on which messages its receives take"
                            : fmt::format("without buffered sends {} would come back otherwise, "
                                          "and what the program does then was not seen",
                                          answers(messages, notes)));
  else
    text += fmt::format(
        "VERDICT: photofinish: portable: it comes to its end without buffered sends, too{}{}\n",
        messages.races.empty() ? "" : ", if its receives take the messages that they took here",
        messages.answers.empty()
            ? ""
            : fmt::format(",{} if it goes on in the same way where {} would come back otherwise",
                          messages.races.empty() ? "" : " and", answers(messages, notes)));
  return text;
}

std::vector<MessageFinding> merge_by_place(std::vector<MessageFinding> findings, RunNotes& notes) {
  const auto place = [&](const MessageEnd& end) {
    return notes.key_as_read(end.rank, end.site, end.site_key);
  };
  std::vector<MessageFinding> merged;
  std::map<std::uint64_t, std::size_t> known;
  for (MessageFinding& finding : findings) {
    const auto [at, added] = known.try_emplace(place(finding.receive), merged.size());
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
        return place(one.send) == place(other.send);
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
