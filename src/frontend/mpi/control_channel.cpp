#include "frontend/mpi/control_channel.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace photofinish::mpi {
namespace {

constexpr int kLetterTag = 1;
constexpr std::size_t kLeastWindow = 4096;  // MPICH's smaller ones do not always work

int bytes_to_send(const ControlMessage& message) {
  return static_cast<int>(message.kind == ControlMessageKind::Ask
                              ? sizeof(ControlMessage)
                              : offsetof(ControlMessage, entry));
}

}  // namespace

ControlChannel::ControlChannel(MPI_Comm comm, int rank, int size)
    : comm_(comm), rank_(rank), size_(size) {
  REAL(PMPI_Comm_set_errhandler)(comm_, MPI_ERRORS_RETURN);
  open_window();
}

// Some libraries have no windows for this or that program: then nobody is seen to wait, and pauses
// end after their time.
void ControlChannel::open_window() {
  const std::size_t bytes =
      std::max(kLeastWindow, sizeof(std::uint64_t) * static_cast<std::size_t>(size_));
  void* memory = nullptr;
  int works = REAL(PMPI_Win_allocate)(static_cast<MPI_Aint>(bytes), sizeof(std::uint64_t),
                                      MPI_INFO_NULL, comm_, &memory, &win_) == MPI_SUCCESS
                  ? 1
                  : 0,
      all = 0;
  REAL(PMPI_Allreduce)(&works, &all, 1, MPI_INT, MPI_MIN, comm_);
  if (all == 0) {
    win_ = MPI_WIN_NULL;
    own_words_ = std::vector<std::atomic<std::uint64_t>>(static_cast<std::size_t>(size_));
    words_ = own_words_.data();
    return;
  }
  REAL(PMPI_Win_set_errhandler)(win_, MPI_ERRORS_RETURN);
  words_ = static_cast<std::atomic<std::uint64_t>*>(memory);
  for (int rank = 0; rank < size_; ++rank) words_[rank].store(0, std::memory_order_relaxed);
  REAL(PMPI_Win_lock_all)(MPI_MODE_NOCHECK, win_);
  REAL(PMPI_Barrier)(comm_);
}

void ControlChannel::forget_delivered() {
  std::erase_if(sent_, [](Sent& sent) {
    int done = 0;
    return REAL(PMPI_Test)(&sent.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
  });
}

// Synchronous, so that the end knows when all have been read.
void ControlChannel::send(const AddressedMessage& addressed) {
  forget_delivered();
  sent_.push_back({MPI_REQUEST_NULL, addressed.message});
  Sent& sent = sent_.back();
  REAL(PMPI_Issend)(&sent.message, bytes_to_send(sent.message), MPI_BYTE, addressed.to, kLetterTag,
                    comm_, &sent.request);
}

bool ControlChannel::next(ControlMessage& message, std::int32_t& from) {
  int flag = 0;
  MPI_Status status;
  if (REAL(PMPI_Iprobe)(MPI_ANY_SOURCE, kLetterTag, comm_, &flag, &status) != MPI_SUCCESS ||
      flag == 0)
    return false;
  message = {};
  from = status.MPI_SOURCE;
  return REAL(PMPI_Recv)(&message, sizeof message, MPI_BYTE, from, kLetterTag, comm_,
                         MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

bool ControlChannel::fetch() {
  if (win_ == MPI_WIN_NULL) return false;
  if (fetching_.empty()) {
    fetching_.assign(static_cast<std::size_t>(size_), MPI_REQUEST_NULL);
    for (int rank = 0; rank < size_; ++rank)
      if (rank != rank_)
        REAL(PMPI_Rget)(&words_[rank], 1, MPI_UINT64_T, rank, rank, 1, MPI_UINT64_T, win_,
                        &fetching_[static_cast<std::size_t>(rank)]);
  }
  int done = 0;
  REAL(PMPI_Testall)(size_, fetching_.data(), &done, MPI_STATUSES_IGNORE);
  if (done != 0) fetching_.clear();
  return done != 0;
}

void ControlChannel::finish() {
  if (std::exchange(finished_, true)) return;
  ControlMessage message;
  std::int32_t from = 0;
  MPI_Request all = MPI_REQUEST_NULL;
  bool waits_for_all = false;
  for (int over = 0; over == 0;) {
    while (next(message, from)) {
    }
    forget_delivered();
    if (!waits_for_all && sent_.empty()) {
      REAL(PMPI_Ibarrier)(comm_, &all);
      waits_for_all = true;
    }
    if (waits_for_all) REAL(PMPI_Test)(&all, &over, MPI_STATUS_IGNORE);
  }
  if (win_ == MPI_WIN_NULL) return;
  if (!fetching_.empty()) REAL(PMPI_Waitall)(size_, fetching_.data(), MPI_STATUSES_IGNORE);
  REAL(PMPI_Win_unlock_all)(win_);
  // Its last words are looked at still.
  own_words_ = std::vector<std::atomic<std::uint64_t>>(static_cast<std::size_t>(size_));
  words_ = own_words_.data();
  REAL(PMPI_Win_free)(&win_);
}

}  // namespace photofinish::mpi
