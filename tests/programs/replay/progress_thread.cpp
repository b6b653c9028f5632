// One thread makes all MPI calls for the others: they put requests into a queue and wait on a
// condition variable, the thread tests them in turn. C++ mutexes, conditions and timeouts.
// run: ranks=3 groups=1;0-2 times=20
// build: flags="-O2 -std=c++17 -pthread" pass=only
#include <mpi.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 2, kExchanges = 15;

struct Exchange {
  int sent = 0, received = 0, thread = 0;
  bool done = false;
  MPI_Request requests[2];
};

std::mutex mutex;
std::condition_variable queued, completed;
std::deque<Exchange*> queue;
bool over = false;
int timeouts = 0;
std::string order;

void progress(int rank, int ranks) {
  std::vector<Exchange*> pending;
  for (;;) {
    std::unique_lock lock(mutex);
    if (pending.empty())
      while (queue.empty() && !over)
        if (queued.wait_for(lock, std::chrono::microseconds(300)) == std::cv_status::timeout)
          ++timeouts;
    if (queue.empty() && pending.empty()) return;
    std::deque<Exchange*> fresh;
    fresh.swap(queue);
    lock.unlock();
    for (Exchange* one : fresh) {
      MPI_Irecv(&one->received, 1, MPI_INT, (rank + ranks - 1) % ranks, one->thread, MPI_COMM_WORLD,
                &one->requests[0]);
      MPI_Isend(&one->sent, 1, MPI_INT, (rank + 1) % ranks, one->thread, MPI_COMM_WORLD,
                &one->requests[1]);
      pending.push_back(one);
    }
    for (std::size_t i = 0; i < pending.size();) {
      int flag = 0;
      MPI_Testall(2, pending[i]->requests, &flag, MPI_STATUSES_IGNORE);
      if (flag == 0) {
        ++i;
        continue;
      }
      const std::lock_guard guard(mutex);
      pending[i]->done = true;
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
      completed.notify_all();
    }
  }
}

void exchange(int thread) {
  int carried = thread;
  for (int i = 0; i < kExchanges; ++i) {
    Exchange one;
    one.sent = carried * 3 + i;
    one.thread = thread;
    std::unique_lock lock(mutex);
    queue.push_back(&one);
    queued.notify_one();
    completed.wait(lock, [&] { return one.done; });
    carried = one.received % 1000;
    order += std::to_string(thread) + ":" + std::to_string(one.received) + " ";
  }
}

}  // namespace

int main(int argc, char** argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::thread progressing(progress, rank, ranks);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(exchange, i);
  for (std::thread& thread : threads) thread.join();
  {
    const std::lock_guard guard(mutex);
    over = true;
    queued.notify_all();
  }
  progressing.join();
  std::printf("%s\n%d timeouts\n", order.c_str(), timeouts);
  MPI_Finalize();
}
