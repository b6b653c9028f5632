#include "explain/group_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace photofinish {
namespace {

using group::EventId;

constexpr std::size_t kShownSteps = 20;

const EventLabel& label_of(const GroupExecution& execution, EventId event) {
  return execution.texts[event.rank][event.index];
}
const group::Event& event_of(const GroupExecution& execution, EventId event) {
  return execution.execution.ranks[event.rank][event.index];
}
std::string name_of(const GroupExecution& execution, EventId event) {
  return fmt::format("rank {} {}", execution.ranks[event.rank].value,
                     label_of(execution, event).what);
}

// "writes 0x2a to rank 5"
std::string action_text(const GroupExecution& execution, EventId id) {
  const group::Event& event = event_of(execution, id);
  const EventLabel& label = label_of(execution, id);
  if (event.cell == group::kNoCell) return "";
  const char* const verb = event.reads && event.writes() ? "updates"
                           : event.reads                 ? "reads"
                                                         : "writes";
  return fmt::format(": {} {}{}", verb, label.value.empty() ? "a value" : label.value,
                     label.owner == execution.ranks[id.rank]
                         ? ""
                         : fmt::format(", memory of rank {}", label.owner.value));
}

}  // namespace

std::vector<WorldRank> ranks_of(const GroupExecution& execution, const group::Choice& choice) {
  std::vector<WorldRank> ranks;
  for (std::size_t i = 0; i < execution.ranks.size(); ++i)
    if (choice.prefix[i] != group::kExternal) ranks.push_back(execution.ranks[i]);
  return ranks;
}

std::string reasons_text(const GroupExecution& execution, const group::Choice& choice) {
  std::string text;
  for (const group::Reason& reason : choice.reasons) {
    if (!reason.is_new) continue;
    const std::string verb = reason.is_data ? "received"
                             : event_of(execution, reason.read).reads
                                 ? fmt::format("read {}", label_of(execution, reason.read).value)
                                 : "added to the value";
    text += fmt::format("  rank {}: {} {} <- {}\n", execution.ranks[reason.write.rank].value,
                        name_of(execution, reason.read), verb, name_of(execution, reason.write));
  }
  return text;
}

std::string schedule_text(const GroupExecution& execution, const group::Choice& choice, bool each) {
  std::vector<std::string> lines;
  for (const EventId& event : choice.schedule)
    if (!label_of(execution, event).what.empty())
      lines.push_back(
          fmt::format("{}{}", name_of(execution, event), action_text(execution, event)));
  const std::size_t from = each || lines.size() <= kShownSteps ? 0 : lines.size() - kShownSteps;
  std::string text;
  if (from > 0) text += fmt::format("  … {} earlier steps: --each prints them\n", from);
  for (std::size_t i = from; i < lines.size(); ++i)
    text += fmt::format("  {:>3}  {}\n", i + 1, lines[i]);
  return text;
}

std::string contradiction_text(const GroupExecution& execution, const group::Choice& choice) {
  std::string text;
  for (const EventId& read : choice.reads)
    text += fmt::format("  {}{}\n", name_of(execution, read), action_text(execution, read));
  return text;
}

}  // namespace photofinish
