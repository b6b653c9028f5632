// An atomic counter hands out work to C++ threads. What each thread got, and the order of a
// lock-free list that they push to, is printed and sent on.
// run: ranks=2 groups=1;0,1 times=20
// build: flags="-O2 -std=c++17 -pthread" pass=only
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 3, kPieces = 60;

struct Node {
  int value;
  Node* next;
};

std::atomic<int> next_piece{0};
std::atomic<Node*> head{nullptr};
std::atomic<bool> started{false};
std::atomic<double> sum{0};

void work(int thread, std::vector<int>& pieces, std::vector<Node>& nodes) {
  while (!started.load(std::memory_order_acquire)) {
  }
  for (;;) {
    const int piece = next_piece.fetch_add(1, std::memory_order_relaxed);
    if (piece >= kPieces) return;
    pieces.push_back(piece);
    std::this_thread::yield();
    Node& node = nodes[static_cast<std::size_t>(piece)];
    node = {thread * 1000 + piece, head.load(std::memory_order_relaxed)};
    while (!head.compare_exchange_weak(node.next, &node, std::memory_order_release)) {
    }
    double seen = sum.load();
    while (!sum.compare_exchange_weak(seen, seen + 1.0 / (1 + piece * 3.7))) {
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::vector<int>> pieces(kThreads);
  std::vector<Node> nodes(kPieces);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i, std::ref(pieces[static_cast<std::size_t>(i)]), std::ref(nodes));
  started.store(true, std::memory_order_release);
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<int>& own : pieces) {
    for (const int piece : own) std::printf("%d ", piece);
    std::printf("\n");
  }
  std::vector<int> order;
  for (const Node* node = head; node != nullptr; node = node->next) order.push_back(node->value);
  std::vector<int> theirs(order.size());
  MPI_Sendrecv(order.data(), kPieces, MPI_INT, 1 - rank, 0, theirs.data(), kPieces, MPI_INT,
               1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < order.size(); ++i) std::printf("%d<%d ", order[i], theirs[i]);
  std::printf("%.17g\n", sum.load());
  MPI_Finalize();
}
