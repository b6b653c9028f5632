// Communication between the processes of one analysis. All processes make the same calls in the
// same order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/ids.h"

namespace photofinish {

// An encoded batch from one rank's participant to another's.
struct TransportMessage {
  WorldRank from, to;
  std::vector<std::uint8_t> bytes;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int processes() const = 0;
  virtual int process() const = 0;

  // In-place reductions over all processes.
  virtual void sum(std::span<std::uint64_t> values) = 0;
  virtual void max(std::span<std::uint64_t> values) = 0;

  // Sends what `next` returns, with its destination process, until it returns false. Passes
  // received message to `take`, in sending order per process. Few messages are under way at a time.
  // Returns when all processes have received everything.
  using Next = std::function<bool(int& process, TransportMessage& message)>;
  using Take = std::function<void(TransportMessage message)>;
  virtual void exchange(const Next& next, const Take& take) = 0;
};

// A single process.
class Alone final : public Transport {
 public:
  int processes() const override { return 1; }
  int process() const override { return 0; }
  void sum(std::span<std::uint64_t>) override {}
  void max(std::span<std::uint64_t>) override {}
  void exchange(const Next&, const Take&) override {}
};

}  // namespace photofinish
