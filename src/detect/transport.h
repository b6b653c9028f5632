// How the processes of one analysis reach each other. Every process makes the same calls in the
// same order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/ids.h"

namespace photofinish {

// Something encoded, from one rank's participant to another's.
struct Mail {
  WorldRank from, to;
  std::vector<std::uint8_t> bytes;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int processes() const = 0;
  virtual int process() const = 0;

  // In place, over all processes.
  virtual void sum(std::span<std::uint64_t> values) = 0;
  virtual void max(std::span<std::uint64_t> values) = 0;

  // Asks `next` for mail and the process that it is for, as long as it has any, and hands what
  // comes to `take`: that of one process in the order in which it was sent. Little of it is under
  // way at any time. Returns when everybody has everything.
  using Next = std::function<bool(int& process, Mail& mail)>;
  using Take = std::function<void(Mail mail)>;
  virtual void exchange(const Next& next, const Take& take) = 0;
};

// One process has nobody to reach.
class Alone final : public Transport {
 public:
  int processes() const override { return 1; }
  int process() const override { return 0; }
  void sum(std::span<std::uint64_t>) override {}
  void max(std::span<std::uint64_t>) override {}
  void exchange(const Next&, const Take&) override {}
};

}  // namespace photofinish
