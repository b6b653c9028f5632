// The analysis while the program runs: this rank's Participant, and the exchanges that carry its
// batches.
//
// An exchange takes place when a sync point returns, every so many sync points: the ranks agree on
// the next one with each. It finishes the exchange before it (which has had all the time since to
// arrive), hands what came to the Participant, and starts its own. So a period is sent at its end,
// checked one exchange later, and, if anybody has a question about it, asked about, resolved and
// concluded in the three after that. Ground rules: a private communicator; every rank does the same
// exchanges, since all count the same sync points; nothing waits for a rank that is not itself at,
// or on its way to, the same exchange. Programs that call MPI from several threads at once, or have
// no MPI_COMM_WORLD, are analyzed afterwards, from their traces.
//
// A rank that fails (runtime/failure.h) no longer counts sync points, and must not leave the others
// waiting. It posts its share of the next exchange at once, with nothing but the word that it
// failed: collectives of MPI match in the order in which each rank posts them, so the others find
// it there when they reach that exchange. Whoever finds that word in an exchange that ended stops,
// too, and posts no other. Two ranks that fail at the same time may have posted different numbers
// of exchanges; before MPI_Finalize all ranks agree on the largest and post what they lack. Nobody
// waits for what it sent before then: the receiver may have failed.
//
//   rank 0   post 7 … end 7, post 8 …            end 8: rank 1 failed, stop … finish
//   rank 1   post 7 … fails: post 8 (failed) …                              … finish: end 7, end 8
//
// Invariant: everything that can fail in an exchange comes before its first send or after its last
// receive.
#pragma once

#include <atomic>
#include <string>

#include "model/definitions.h"
#include "model/event.h"
#include "options/options.h"

namespace photofinish::mpi {

class Online {
 public:
  // Null if the program is not analyzed while it runs.
  static Online* get() { return instance_.load(std::memory_order_acquire); }
  // On all ranks, once recording has started.
  static void start(const Definitions& definitions, const std::string& directory,
                    const Options& options);

  void add(const Event& event, std::uint64_t start,
           std::uint64_t end);  // once it is on record; ticks
  void finish();                // before MPI_Finalize: what is left, and the findings

  // This rank has failed, and is inside a call of the program's: what the others need of it.
  static void take_leave();

 private:
  struct State;
  static std::atomic<Online*> instance_;  // a failure clears it while other threads look
  State* state_ = nullptr;
};

}  // namespace photofinish::mpi
