// Carries the protocol of a confirming run (confirm/meeting_protocol.h) on a communicator of our
// own, and shows each rank whether the others wait, in a window of our own.
//
// Ground rules: nothing here waits but `finish`. A rank that is inside of MPI answers for its word
// without doing anything, as one-sided operations go on meanwhile; one that computes may not, and
// does not wait either.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <vector>

#include "frontend/mpi/real.h"
#include "steering/host.h"

namespace photofinish::mpi {

class ControlChannel final : public MeetingChannel {
 public:
  // On all ranks of the communicator.
  ControlChannel(MPI_Comm comm, int rank, int size);

  void send(const AddressedMessage& addressed) override;
  // The next that has come; false if there is none.
  bool next(ControlMessage& message, std::int32_t& from) override;

  // One word of each rank: its own is the window's, those of others are as they were when `fetch`
  // last said true.
  std::atomic<std::uint64_t>* words() override { return words_; }
  bool fetch() override;

  // On all ranks, before the last call: nothing is under way afterwards.
  void finish() override;

 private:
  struct Sent {
    MPI_Request request;
    ControlMessage message;
  };
  void open_window();
  void forget_delivered();

  bool finished_ = false;
  MPI_Comm comm_;
  const int rank_, size_;
  std::list<Sent> sent_;
  MPI_Win win_ = MPI_WIN_NULL;
  std::atomic<std::uint64_t>* words_ = nullptr;
  std::vector<std::atomic<std::uint64_t>> own_words_;  // where there is no window
  std::vector<MPI_Request> fetching_;
};

}  // namespace photofinish::mpi
