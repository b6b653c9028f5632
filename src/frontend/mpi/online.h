// The analysis while the program runs: this rank's Participant, and the exchanges that carry its
// batches.
//
// An exchange takes place when a sync point returns, every few sync points: in each exchange the
// ranks agree on the next one. It completes the previous exchange, whose messages have had a whole
// period to arrive, passes the received batches to the Participant, and starts a new exchange. So
// the records of a period are sent at its end and checked one exchange later. If any rank has a
// happens-before query about the period, the three exchanges after that ask, resolve and conclude
// it.
//
// Ground rules: the exchanges use a private communicator. Every rank makes the same exchanges,
// because all ranks count the same sync points. A rank waits only for ranks that are at the same
// exchange, or will reach it without its help. Programs that call MPI from several threads at once,
// or have no MPI_COMM_WORLD, are analyzed after they end, from their traces.
//
// A rank that fails (runtime/failure.h) no longer counts sync points, and must not leave the others
// waiting. It posts its part of the next exchange at once, with only the flag `Failed` set: MPI
// matches collectives in the order in which each rank posts them, so the others find it when they
// reach that exchange. A rank that sees the flag in a completed exchange stops, too, and posts no
// further exchange. Two ranks that fail at the same time may have posted different numbers of
// exchanges; before MPI_Finalize all ranks agree on the largest number and post the missing ones.
// No rank waits for the completion of its sends before then: the receiver may have failed.
//
//   rank 0   post 7 … end 7, post 8 …            end 8: rank 1 failed, stop … finish
//   rank 1   post 7 … fails: post 8 (failed) …                              … finish: end 7, end 8
//
// Invariant: every operation of an exchange that can fail comes before its first send or after its
// last receive.
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
  // Called by all ranks, once recording has started.
  static void start(const Definitions& definitions, const std::string& directory,
                    const Options& options);

  // Called once the event is recorded; times in ticks.
  void add(const Event& event, std::uint64_t start, std::uint64_t end);
  // Called before MPI_Finalize: completes the analysis and writes the findings.
  void finish();

  // Called after this rank has failed, inside an MPI call of the program: reports
  // the failure to the other ranks.
  static void take_leave();

 private:
  struct State;
  static std::atomic<Online*> instance_;  // a failure clears it while other threads read it
  State* state_ = nullptr;
};

}  // namespace photofinish::mpi
