// Receives the message steps of a rank (model/message.h).
#pragma once

#include <cstdint>
#include <utility>

#include "model/message.h"

namespace photofinish {

// The post and the completion of a step that is both.
std::pair<MessageStep, MessageStep> halves(const MessageStep& step);

// The message that a receive took may be reported later than its completion.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  virtual void step(MessageStep step) = 0;
  virtual void took(std::uint64_t operation, MessageKey key) = 0;

 protected:
  // Processes a blocking call as post and completion. False if the step is not one.
  bool take_halves(const MessageStep& whole);
};

}  // namespace photofinish
