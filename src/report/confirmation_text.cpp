#include "report/confirmation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/block.h"

namespace photofinish {
namespace {

std::uint32_t runs_of(const Confirmation& confirmation) {
  std::uint32_t runs = 0;
  for (const OrderTried& order : confirmation.orders) runs += order.runs;
  return runs;
}

std::string run_count(std::uint32_t runs) {
  return runs == 1 ? "1 run" : fmt::format("{} runs", runs);
}

}  // namespace

const Confirmation* find_confirmation(const std::vector<Confirmation>& all, std::uint64_t key) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Confirmation& one) { return one.key == key; });
  return found != all.end() ? &*found : nullptr;
}

std::string state_text(const Confirmation* confirmation) {
  if (confirmation == nullptr) return "predicted";
  switch (confirmation->state) {
    case ConfirmState::Harmful:
      return "confirmed, harmful";
    case ConfirmState::SameOutcome:
      return "confirmed, same outcome seen";
    case ConfirmState::NotReproduced:
      break;
  }
  return "not reproduced in " + run_count(runs_of(*confirmation));
}

std::string confirmation_lines(const Confirmation& confirmation, std::size_t number,
                               const std::string& run) {
  std::string text;
  for (std::size_t i = 0; i < confirmation.orders.size(); ++i) {
    const OrderTried& order = confirmation.orders[i];
    if (order.seen)
      text +=
          fmt::format("  {}: {}{}\n    again: photofinish confirm {} --finding F{} --order {}\n",
                      capitalised(order.name), order.outcome,
                      order.forced ? "" : " (it was seen, but this order could not be forced)", run,
                      number, i + 1);
    else
      text += fmt::format("  {}: not seen in {}{}\n", capitalised(order.name),
                          run_count(order.runs), order.outcome.empty() ? "" : "; " + order.outcome);
  }
  if (confirmation.state == ConfirmState::NotReproduced)
    text += fmt::format("  Its sides were come to {} and {}.\n",
                        times_text(confirmation.reached[0]), times_text(confirmation.reached[1]));
  if (confirmation.state == ConfirmState::NotReproduced &&
      confirmation.reached[0] + confirmation.reached[1] == 0)
    text +=
        "  These places are not in what ran: it is another program, or goes another way with these "
        "arguments.\n";
  for (const std::string& line : confirmation.difference) text += "    " + line + "\n";
  if (confirmation.varies)
    text +=
        "  What it prints differs among runs of one order as well; that was left out of the "
        "comparison.\n";
  return text;
}

}  // namespace photofinish
