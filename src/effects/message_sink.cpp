#include "effects/message_sink.h"

namespace photofinish {

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

}  // namespace photofinish
