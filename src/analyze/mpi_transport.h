// The processes of an analysis that an MPI launcher has started. Waiting, they sleep: there may be
// more of them than cores.
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
  int exchanges_ = 0;  // so far: mail of the next may come before the last of this one
};

}  // namespace photofinish
