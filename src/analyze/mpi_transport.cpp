#include "analyze/mpi_transport.h"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <sched.h>
#include <time.h>

#include <cstring>
#include <list>
#include <vector>

namespace photofinish {
namespace {

constexpr std::size_t kMaxMessage = std::size_t{1} << 30;  // MPI counts are int
constexpr std::size_t kUnderWay = 16;
constexpr int kTags = 1 << 14;

// A message is one message that starts with this header, followed by more messages if it is very
// long. An empty message is the last one.
struct Header {
  std::int32_t from, to;
  std::uint64_t size;
};

// Yields first, then sleeps longer and longer.
class Patience {
 public:
  void wait() {
    if (++times_ < 200) {
      sched_yield();
      return;
    }
    const timespec pause{0, times_ < 2000 ? 50'000 : 500'000};
    nanosleep(&pause, nullptr);
  }
  void renew() { times_ = 0; }

 private:
  int times_ = 0;
};

void reduce(std::span<std::uint64_t> values, MPI_Op op) {
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, op,
                 MPI_COMM_WORLD, &request);
  Patience patience;
  for (int done = 0;; patience.wait()) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
  }
}

// Pending sends, with their buffers.
class Departing {
 public:
  explicit Departing(int tag) : tag_(tag) {}
  std::size_t size() const { return messages_.size(); }
  void send(int process, const TransportMessage& message) {
    const Header header{message.from.value, message.to.value, message.bytes.size()};
    std::vector<std::uint8_t> bytes;
    bytes.reserve(sizeof header + message.bytes.size());
    bytes.resize(sizeof header);
    std::memcpy(bytes.data(), &header, sizeof header);
    bytes.insert(bytes.end(), message.bytes.begin(), message.bytes.end());
    for (std::size_t at = 0; at < bytes.size(); at += kMaxMessage)
      send(process,
           {bytes.begin() + static_cast<std::ptrdiff_t>(at),
            bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + kMaxMessage))});
  }
  void send_end(int process) { send(process, std::vector<std::uint8_t>()); }
  bool forget_gone() {
    const std::size_t before = messages_.size();
    std::erase_if(messages_, [](Message& message) {
      int gone = 0;
      MPI_Test(&message.request, &gone, MPI_STATUS_IGNORE);
      return gone != 0;
    });
    return messages_.size() != before;
  }

 private:
  struct Message {
    std::vector<std::uint8_t> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void send(int process, std::vector<std::uint8_t> bytes) {
    Message& message = messages_.emplace_back(std::move(bytes));
    MPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, process, tag_,
              MPI_COMM_WORLD, &message.request);
  }

  const int tag_;
  std::list<Message> messages_;
};

}  // namespace

MpiTransport::MpiTransport() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_size(MPI_COMM_WORLD, &processes_);
  MPI_Comm_rank(MPI_COMM_WORLD, &process_);
}

MpiTransport::~MpiTransport() { MPI_Finalize(); }

void MpiTransport::sum(std::span<std::uint64_t> values) { reduce(values, MPI_SUM); }
void MpiTransport::max(std::span<std::uint64_t> values) { reduce(values, MPI_MAX); }

void MpiTransport::exchange(const Next& next, const Take& take) {
  const int tag = exchanges_++ % kTags;
  Departing departing(tag);
  // Incomplete long message, by sender.
  std::vector<std::vector<std::uint8_t>> parts(static_cast<std::size_t>(processes_));
  int ended = 1;  // a process sends nothing to itself
  bool more = true;
  Patience patience;
  while (more || ended < processes_ || departing.size() > 0) {
    bool idle = !departing.forget_gone();
    if (more && departing.size() < kUnderWay) {
      int process = 0;
      TransportMessage message;
      more = next(process, message);
      if (more)
        departing.send(process, message);
      else
        for (int other = 0; other < processes_; ++other)
          if (other != process_) departing.send_end(other);
      idle = false;
    }
    int there = 0;
    MPI_Status status;
    if (ended < processes_) MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
    if (there != 0) {
      idle = false;
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      std::vector<std::uint8_t>& bytes = parts[static_cast<std::size_t>(status.MPI_SOURCE)];
      const std::size_t had = bytes.size();
      bytes.resize(had + static_cast<std::size_t>(size));
      MPI_Recv(bytes.data() + had, size, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      if (size == 0) {
        ++ended;
        continue;
      }
      Header header;
      std::memcpy(&header, bytes.data(), sizeof header);
      if (bytes.size() == sizeof header + header.size) {
        take({WorldRank(header.from),
              WorldRank(header.to),
              {bytes.begin() + sizeof header, bytes.end()}});
        bytes.clear();
      }
    }
    if (idle)
      patience.wait();
    else
      patience.renew();
  }
}

}  // namespace photofinish
