// Workers start receives and hand the requests to a thread that tests them all in a loop. Fixed: a
// worker sleeps until its own is complete.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "hybrid.h"
// build: flags="-pthread -std=c++20"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
enum { kWorkers = 3 };
struct Posted {
  MPI_Request request;
  bool* complete;
};
static std::mutex mutex;
static std::condition_variable changed;
static std::vector<Posted> queue;
static int incoming[kWorkers][16], outgoing[16];
static volatile int seen[kWorkers];

static void progress() {
  std::vector<Posted> active;
  for (int left = kWorkers; left > 0;) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      active.insert(active.end(), queue.begin(), queue.end());
      queue.clear();
    }
    for (std::size_t i = 0; i < active.size();) {
      int done = 0;
      MPI_Test(&active[i].request, &done, MPI_STATUS_IGNORE);
      if (!done) {
        ++i;
        continue;
      }
      {
        std::lock_guard<std::mutex> lock(mutex);
        *active[i].complete = true;
      }
      changed.notify_all();
      active.erase(active.begin() + static_cast<long>(i));
      --left;
    }
    std::this_thread::yield();
  }
}

static void work(int me) {
  bool complete = false;
  Posted posted{MPI_REQUEST_NULL, &complete};
  MPI_Irecv(incoming[me], 16, MPI_INT, 1 - rank, me, MPI_COMM_WORLD, &posted.request); /*{receive}*/
  {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back(posted);
  }
  MPI_Send(outgoing, 16, MPI_INT, 1 - rank, me, MPI_COMM_WORLD);
#ifndef FIXED
  if (me == 1) seen[me] = incoming[me][5]; /*{read}*/
#endif
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return complete; });
  seen[me] = incoming[me][5];
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  std::thread progressing(progress);
  std::vector<std::thread> workers;
  for (int i = 0; i < kWorkers; ++i) workers.emplace_back(work, i);
  for (std::thread& worker : workers) worker.join();
  progressing.join();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
