#include "model/message_finding.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace photofinish {
namespace {

auto order_of(const MessageEnd& end) { return std::tuple(end.rank, end.timestamp, end.site_key); }

// The example is the earliest receive, and its possible matches come first. The others name the
// receive at the same site that could have matched them, which may be much later than the example,
// or of another rank.
void merge_into(MessageFinding& known, MessageFinding more) {
  const auto before = order_of(more.receive), after = order_of(known.receive);
  if (before < after) {
    known.taker = more.taker;
    known.comm = more.comm;
    known.wanted = more.wanted;
    known.receive = more.receive;
    known.got = more.got;
  }
  known.times += more.times;
  known.ranks.insert(more.ranks.begin(), more.ranks.end());
  for (const MessageFinding::Other& other : more.others) {
    const auto same = std::find_if(known.others.begin(), known.others.end(), [&](const auto& one) {
      return one.send.site_key == other.send.site_key;
    });
    if (same == known.others.end()) {
      known.others.push_back(other);
      continue;
    }
    const std::uint64_t times = same->times + other.times;
    if (std::tuple(order_of(other.receive), order_of(other.send)) <
        std::tuple(order_of(same->receive), order_of(same->send)))
      *same = other;
    same->times = times;
  }
}

std::vector<MessageFinding> merged(std::vector<MessageFinding> races) {
  std::map<std::uint64_t, MessageFinding> by_location;
  for (MessageFinding& race : races) {
    const auto [known, added] = by_location.try_emplace(race.receive.site_key, race);
    if (!added) merge_into(known->second, std::move(race));
  }
  std::vector<MessageFinding> all;
  for (auto& [location, race] : by_location) {
    std::sort(race.others.begin(), race.others.end(), [&race = race](const auto& a, const auto& b) {
      return std::tuple(!is_of_example(race, a), order_of(a.send)) <
             std::tuple(!is_of_example(race, b), order_of(b.send));
    });
    all.push_back(std::move(race));
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return order_of(a.receive) < order_of(b.receive); });
  return all;
}

std::vector<Deadlock> merged(std::vector<Deadlock> deadlocks) {
  std::map<std::tuple<bool, bool, std::vector<std::uint64_t>>, Deadlock> by_locations;
  const auto first_of = [](const Deadlock& deadlock) {
    return deadlock.waits.empty() ? kProcNull : deadlock.waits.front().rank;
  };
  for (Deadlock& deadlock : deadlocks) {
    std::vector<std::uint64_t> locations;
    for (const Deadlock::Waits& waits : deadlock.waits) locations.push_back(waits.site_key);
    std::sort(locations.begin(), locations.end());
    const auto [known, added] = by_locations.try_emplace(
        {deadlock.cycle, deadlock.other_match, std::move(locations)}, deadlock);
    if (added) continue;
    const std::uint64_t times = known->second.times + deadlock.times;
    known->second.came_about = deadlock.came_about =
        known->second.came_about || deadlock.came_about;
    if (first_of(deadlock) < first_of(known->second)) known->second = std::move(deadlock);
    known->second.times = times;
  }
  std::vector<Deadlock> all;
  for (auto& [locations, deadlock] : by_locations) all.push_back(std::move(deadlock));
  return all;
}

std::vector<TimingDependence> merged(std::vector<TimingDependence> timing) {
  std::map<std::uint64_t, TimingDependence> by_location;
  for (TimingDependence& one : timing) {
    const auto [known, added] = by_location.try_emplace(one.at.site_key, one);
    if (added) continue;
    if (one.at.rank < known->second.at.rank) known->second.at = one.at;
    known->second.times += one.times;
    known->second.ranks.insert(one.ranks.begin(), one.ranks.end());
  }
  std::vector<TimingDependence> all;
  for (auto& [location, one] : by_location) all.push_back(std::move(one));
  return all;
}

template <class T>
void append(std::vector<T>& all, std::vector<T>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

MessageFindings merge_messages(std::vector<MessageFindings> parts) {
  MessageFindings all;
  for (MessageFindings& part : parts) {
    append(all.races, part.races);
    append(all.deadlocks, part.deadlocks);
    append(all.timing, part.timing);
    append(all.answers, part.answers);
    all.messages += part.messages;
    all.checked &= part.checked;
    all.races_given_up |= part.races_given_up;
    all.buffers_given_up |= part.buffers_given_up;
    all.followed &= part.followed;
    all.threads |= part.threads;
    all.unsure |= part.unsure;
    all.unsure_after = std::min(all.unsure_after, part.unsure_after);
  }
  // What follows a polling call with another result is unknown.
  all.unsure |= std::erase_if(all.deadlocks, [&](const Deadlock& deadlock) {
                  return !deadlock.came_about && deadlock.phase > all.unsure_after;
                }) > 0;
  all.races = merged(std::move(all.races));
  all.deadlocks = merged(std::move(all.deadlocks));
  all.timing = merged(std::move(all.timing));
  all.answers = merged(std::move(all.answers));
  // Without buffering, a waiting thread would not block another one. In an interrupted run, what is
  // missing might still have happened.
  std::erase_if(all.deadlocks, [&](const Deadlock& deadlock) {
    return all.threads || !(deadlock.cycle || deadlock.came_about || all.followed);
  });
  return all;
}

}  // namespace photofinish
