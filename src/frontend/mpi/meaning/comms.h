// The communicators of a rank, with the counters that identify their messages and collectives.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "effects/timeline.h"
#include "frontend/mpi/meaning/state.h"

namespace photofinish::mpi_meaning {

class Comms {
 public:
  explicit Comms(const Timeline& effects) : effects_(effects) {}

  // If the communicator has no definition, returns one without ranks.
  Comm& at(CommId id);
  // The communicator in Field::comm.
  Comm& of(const Event& event) {
    return at(CommId(
        static_cast<std::uint32_t>(event.fields.has(Field::comm) ? event.fields[Field::comm] : 0)));
  }
  template <class Visit>
  void each(Visit visit) {
    for (auto& [id, comm] : comms_) visit(*comm);
  }

 private:
  const Timeline& effects_;
  std::unordered_map<CommId, std::unique_ptr<Comm>> comms_;
  std::pair<CommId, Comm*> last_;  // cache of at()
};

}  // namespace photofinish::mpi_meaning
