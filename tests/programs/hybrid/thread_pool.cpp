// Correct: a pool whose workers start sends and hand the requests to whoever waits for them.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: 2016
// expect no race
enum { kMessages = 64 };
static std::mutex mutex;
static std::condition_variable changed;
static std::deque<std::function<void()>> jobs;
static std::vector<MPI_Request> started;
static bool closed = false;
static int outgoing[kMessages], incoming[kMessages];

static void work() {
  for (;;) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return closed || !jobs.empty(); });
    if (jobs.empty()) return;
    std::function<void()> job = std::move(jobs.front());
    jobs.pop_front();
    lock.unlock();
    job();
  }
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  std::vector<MPI_Request> receives(kMessages);
  for (int i = 0; i < kMessages; ++i)
    MPI_Irecv(&incoming[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &receives[i]);
  std::vector<std::thread> workers;
  for (int i = 0; i < 2; ++i) workers.emplace_back(work);
  for (int i = 0; i < kMessages; ++i) {
    std::lock_guard<std::mutex> lock(mutex);
    jobs.emplace_back([i] {
      outgoing[i] = i;
      MPI_Request request;
      MPI_Isend(&outgoing[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &request);
      std::lock_guard<std::mutex> hold(mutex);
      started.push_back(request);
    });
    changed.notify_one();
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    closed = true;
  }
  changed.notify_all();
  for (std::thread& worker : workers) worker.join();
  MPI_Waitall(kMessages, started.data(), MPI_STATUSES_IGNORE);
  MPI_Waitall(kMessages, receives.data(), MPI_STATUSES_IGNORE);
  int sum = 0;
  for (int i = 0; i < kMessages; ++i) {
    sum += incoming[i];
    outgoing[i] = -1;
  }
  if (rank == 0) printf("%d\n", sum);
  MPI_Finalize();
}
