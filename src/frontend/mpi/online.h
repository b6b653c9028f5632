// The analysis while the program runs: this rank's Participant, and the exchanges that carry its
// parcels.
//
// An exchange takes place when a cut returns, every so many cuts: the ranks agree on the next one
// with each. It finishes the exchange before it (which has had all the time since to arrive), hands
// what came to the Participant, and starts its own. So a period is sent at its end, checked one
// exchange later, and, if anybody has a question about it, asked about, resolved and concluded in
// the three after that. Ground rules: a private communicator; every rank does the same exchanges,
// since all count the same cuts; nothing waits for a rank that is not itself at, or on its way to,
// the same exchange. Programs that call MPI from several threads at once, or have no
// MPI_COMM_WORLD, are analysed afterwards, from their traces.
#pragma once

#include <string>

#include "model/definitions.h"
#include "model/event.h"
#include "options/options.h"

namespace photofinish::mpi {

class Online {
 public:
  // Null if the program is not analysed while it runs.
  static Online* get() { return instance_; }
  // On all ranks, once recording has started.
  static void start(const Definitions& definitions, const std::string& directory,
                    const Options& options);

  void add(const Event& event, std::uint64_t start,
           std::uint64_t end);  // once it is on record; ticks
  void finish();                // before MPI_Finalize: what is left, and the findings

 private:
  struct State;
  static Online* instance_;
  State* state_ = nullptr;
};

}  // namespace photofinish::mpi
