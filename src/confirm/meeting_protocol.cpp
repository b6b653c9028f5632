#include "confirm/meeting_protocol.h"

#include <algorithm>

namespace photofinish {
namespace {

ControlMessage reply(ControlMessageKind kind, std::uint64_t ask, const Meeting& meeting = {}) {
  return {.kind = kind, .reserved = 0, .ask = ask, .meeting = meeting, .entry = {}};
}

}  // namespace

std::uint64_t MeetingProtocol::ask(const TableEntry& mine, std::vector<AddressedMessage>& out) {
  const std::uint64_t ask = next_ask_++;
  asks_[ask] = {others_.begin(), others_.end()};
  for (const std::int32_t other : others_)
    out.push_back({other,
                   {.kind = ControlMessageKind::Ask,
                    .reserved = 0,
                    .ask = ask,
                    .meeting = {},
                    .entry = mine}});
  return ask;
}

bool MeetingProtocol::is_answered(std::uint64_t ask) const {
  const auto found = asks_.find(ask);
  return found == asks_.end() || found->second.empty();
}

void MeetingProtocol::forget(RendezvousTable& table, std::uint64_t ask,
                             std::vector<AddressedMessage>& out) {
  if (const auto found = asks_.find(ask); found != asks_.end()) {
    for (const std::int32_t other : found->second)
      out.push_back({other, reply(ControlMessageKind::Withdraw, ask)});
    asks_.erase(found);
  }
  answer_waiting(table, out);
}

bool MeetingProtocol::awaits(std::int32_t from) const {
  return std::any_of(asks_.begin(), asks_.end(),
                     [&](const auto& ask) { return ask.second.contains(from); });
}

bool MeetingProtocol::is_ours(const Meeting& meeting, std::int32_t other) const {
  return meeting.met != 0 && ((meeting.first.rank == rank_ && meeting.second.rank == other) ||
                              (meeting.first.rank == other && meeting.second.rank == rank_));
}

void MeetingProtocol::answer(RendezvousTable& table, std::int32_t from,
                             const ControlMessage& message, std::vector<AddressedMessage>& out) {
  std::uint32_t slot = 0;
  const Turn turn = arrive(table, message.entry, static_cast<int>(first_side_), false, slot);
  const bool met = turn == Turn::First || turn == Turn::Second;
  out.push_back({from, met ? reply(ControlMessageKind::Met, message.ask, table)
                           : reply(ControlMessageKind::NotHere, message.ask)});
}

void MeetingProtocol::answer_waiting(RendezvousTable& table, std::vector<AddressedMessage>& out) {
  std::erase_if(waiting_, [&](const auto& asked) {
    if (awaits(asked.first)) return false;
    answer(table, asked.first, asked.second, out);
    return true;
  });
}

void MeetingProtocol::keep(RendezvousTable& table, std::int32_t from, const ControlMessage& message,
                           std::vector<AddressedMessage>& out) {
  if (table.met != 0 || !asks_.contains(message.ask))
    return out.push_back({from, reply(ControlMessageKind::Gone, message.ask, message.meeting)});
  static_cast<Meeting&>(table) = message.meeting;
  for (const std::int32_t other : others_)
    if (other != from) out.push_back({other, reply(ControlMessageKind::Over, 0, table)});
}

void MeetingProtocol::drop_withdrawn(std::vector<ReceivedMessage>& arrived) {
  std::set<std::pair<std::int32_t, std::uint64_t>> withdrawn;
  for (const auto& [from, message] : arrived)
    if (message.kind == ControlMessageKind::Withdraw) withdrawn.emplace(from, message.ask);
  std::erase_if(arrived, [&](const ReceivedMessage& one) {
    return one.message.kind == ControlMessageKind::Ask &&
           withdrawn.contains({one.from, one.message.ask});
  });
}

void MeetingProtocol::receive(RendezvousTable& table, std::int32_t from,
                              const ControlMessage& message, std::vector<AddressedMessage>& out) {
  switch (message.kind) {
    case ControlMessageKind::Ask:
      if (rank_ < from && awaits(from))
        waiting_.emplace_back(from, message);
      else
        answer(table, from, message, out);
      return;
    case ControlMessageKind::Withdraw:
      std::erase_if(waiting_, [&](const auto& asked) {
        return asked.first == from && asked.second.ask == message.ask;
      });
      return;
    case ControlMessageKind::NotHere:
    case ControlMessageKind::Met:
      if (message.kind == ControlMessageKind::Met) keep(table, from, message, out);
      if (const auto found = asks_.find(message.ask); found != asks_.end())
        found->second.erase(from);
      return answer_waiting(table, out);
    case ControlMessageKind::Gone:
      if (is_ours(table, from) && is_ours(message.meeting, from)) static_cast<Meeting&>(table) = {};
      return;
    case ControlMessageKind::Done:
      if (is_ours(table, from)) table.first_done = 1;
      return;
    case ControlMessageKind::Over:
      if (table.met == 0) static_cast<Meeting&>(table) = message.meeting;
      return;
  }
}

}  // namespace photofinish
