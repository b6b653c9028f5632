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

std::string_view short_state(ConfirmState state) {
  switch (state) {
    case ConfirmState::Harmful:
      return "harmful";
    case ConfirmState::Unstable:
      return "unstable";
    case ConfirmState::EffectUnknown:
      return "effect unknown";
    case ConfirmState::SameOutcome:
      return "same outcome";
    case ConfirmState::NotReproduced:
      break;
  }
  return "not reproduced";
}

std::string state_text(const Confirmation* confirmation) {
  if (confirmation == nullptr) return "predicted";
  if (is_confirmed(confirmation->state))
    return fmt::format("confirmed, {}", short_state(confirmation->state));
  return "not reproduced in " + run_count(runs_of(*confirmation));
}

std::string_view state_id(const Confirmation* confirmation) {
  if (confirmation == nullptr) return "predicted";
  switch (confirmation->state) {
    case ConfirmState::Harmful:
      return "confirmed-harmful";
    case ConfirmState::Unstable:
      return "confirmed-unstable";
    case ConfirmState::EffectUnknown:
      return "confirmed-effect-unknown";
    case ConfirmState::SameOutcome:
      return "confirmed-same-outcome";
    case ConfirmState::NotReproduced:
      break;
  }
  return "not-reproduced";
}

std::string outcomes_text(const std::vector<CountedOutcome>& outcomes) {
  std::string text;
  for (const CountedOutcome& outcome : outcomes)
    text += fmt::format("{}{} ×{}", text.empty() ? "" : ", ", printable(outcome.text, true),
                        outcome.times);
  return text;
}

std::string confirmation_lines(const Confirmation& confirmation, std::size_t number,
                               const std::string& run, const std::string& program) {
  std::string text;
  for (std::size_t i = 0; i < confirmation.orders.size(); ++i) {
    const OrderTried& order = confirmation.orders[i];
    if (order.seen())
      text +=
          fmt::format("  {}: {}{}\n    {}: photofinish confirm {} --finding F{} --order {}{}{}\n",
                      capitalised(order.name), outcomes_text(order.outcomes),
                      order.is_forced() ? "" : " (observed, but this order could not be forced)",
                      order.is_forced() ? "repeat with" : "repeat with, may not succeed", run,
                      number, i + 1, confirmation.every ? " --every" : "", program);
    else if (!order.optional)
      text += fmt::format("  {}: not observed in {}{}\n", capitalised(order.name),
                          run_count(order.runs), order.outcome.empty() ? "" : "; " + order.outcome);
  }
  if (confirmation.every)
    text += fmt::format("  Every instance of the race had this order, up to {} per run.\n",
                        confirmation.meetings);
  if (confirmation.state == ConfirmState::NotReproduced)
    text +=
        confirmation.reached[0] == confirmation.reached[1]
            ? fmt::format("  Both access sites were reached {}.\n",
                          times_text(confirmation.reached[0]))
            : fmt::format("  The first access site was reached {}, the second {}.\n",
                          times_text(confirmation.reached[0]), times_text(confirmation.reached[1]));
  if (confirmation.state == ConfirmState::NotReproduced &&
      confirmation.reached[0] + confirmation.reached[1] == 0)
    text +=
        "  The program never reached these sites: it is a different build, or these arguments take "
        "another path.\n";
  for (const std::string& line : confirmation.difference)
    text += "    " + printable(line, true) + "\n";
  if (confirmation.state == ConfirmState::Unstable)
    text += fmt::format(
        "  Without steering: {}\n"
        "  Outcomes vary within an order or without steering: another race, or timing, affects "
        "them, too. Fix the other findings first, and exclude lines that always vary with "
        "--ignore.\n",
        outcomes_text(confirmation.control));
  if (confirmation.state == ConfirmState::SameOutcome && confirmation.only_exit_codes)
    text +=
        "  The program printed nothing: only its exit code was compared. Print a result, or "
        "compare "
        "a file that it writes with --compare.\n";
  if (confirmation.state == ConfirmState::EffectUnknown)
    text += confirmation.one_of_several
                ? "  All outcomes were equal, but the ranks run on several nodes, where only one "
                  "instance of a race can be steered: the effect of the others is not known. Try "
                  "it on one node.\n"
                : "  All outcomes were equal, but not every order was forced in every repetition: "
                  "the effect of the race is not known.\n";
  return text;
}

}  // namespace photofinish
