// The transport between analysis processes started by an MPI launcher. A waiting process sleeps,
// since there may be more processes than cores.
#pragma once

#include "detect/transport.h"

namespace photofinish {

class MpiTransport final : public Transport {
 public:
  MpiTransport();   // MPI_Init
  ~MpiTransport();  // MPI_Finalize
  int processes() const override { return processes_; }
  int process() const override { return process_; }
  void sum(std::span<std::uint64_t> values) override;
  void max(std::span<std::uint64_t> values) override;
  void exchange(const Next& next, const Take& take) override;

 private:
  int processes_ = 1, process_ = 0;
  // Number of exchanges so far: mail of the next one may arrive before the last of this one.
  int exchanges_ = 0;
};

}  // namespace photofinish
