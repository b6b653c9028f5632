// Partitioned messages: each partition is a pending access, and an edge of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "effects/timeline.h"
#include "frontend/mpi/meaning/state.h"
#include "frontend/mpi/meaning/steps.h"

namespace photofinish::mpi_meaning {

class Partitions {
 public:
  Partitions(Timeline& effects, MessageSteps& steps) : effects_(effects), steps_(steps) {}

  // `started`: the prepared call, at the call site of the start.
  void start(Request& request, const Event& started);
  void ready(Request& request, const Event& event);
  void arrived(Request& request, const Event& event);

 private:
  void release(Request& request, std::uint64_t message, std::int64_t partitions,
               std::int64_t index);
  void acquire(std::uint64_t message, std::int64_t partitions, std::int64_t index);
  Buffer part_of(const Buffer& whole, std::int64_t partitions, std::int64_t index) const;

  Timeline& effects_;
  MessageSteps& steps_;
};

}  // namespace photofinish::mpi_meaning
