#include "report/confirmation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
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
                      order.forced ? "" : " (observed, but this order could not be forced)", run,
                      number, i + 1);
    else
      text += fmt::format("  {}: not observed in {}{}\n", capitalised(order.name),
                          run_count(order.runs), order.outcome.empty() ? "" : "; " + order.outcome);
  }
  if (confirmation.state == ConfirmState::NotReproduced)
    text += fmt::format("  The access sites were reached {} and {}.\n",
                        times_text(confirmation.reached[0]), times_text(confirmation.reached[1]));
  if (confirmation.state == ConfirmState::NotReproduced &&
      confirmation.reached[0] + confirmation.reached[1] == 0)
    text +=
        "  The program never reached these sites: it is a different build, or these arguments take "
        "another path.\n";
  for (const std::string& line : confirmation.difference)
    text += "    " + printable(line, true) + "\n";
  if (confirmation.varies)
    text +=
        "  The output also varies between runs of one order; lines that vary were left out of the "
        "comparison.\n";
  return text;
}

}  // namespace photofinish
