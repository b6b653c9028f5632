// Correct: a list over all ranks whose nodes are allocated and attached to a dynamic window one by
// one. The head, in another window, is changed under an exclusive lock; a node is filled before the
// head points to it. After a barrier all ranks traverse the list with gets.
#include "rma.h"
// run: ranks=4
// output: 12 nodes, sum 138
// expect no race
enum { kEach = 3 };

typedef struct {
  long rank, address;
} Link;  // address 0: the end

typedef struct {
  Link next;
  long value;
} Node;

static Link* new_head(MPI_Win* win) {
  Link* head;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &head, win);
  STORE(head->rank, 0);
  STORE(head->address, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  return head;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win heads, nodes;
  new_head(&heads);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &nodes);
  Node* mine[kEach];
  for (int i = 0; i < kEach; ++i) {
    MPI_Alloc_mem(whole_lines(sizeof(Node)), MPI_INFO_NULL, &mine[i]);
    MPI_Win_attach(nodes, mine[i], sizeof(Node));
    Link self = {rank, 0};
    MPI_Aint address;
    MPI_Get_address(mine[i], &address);
    self.address = address;
    STORE(mine[i]->value, 10 * i + rank);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, heads);
    MPI_Get(&mine[i]->next, 2, MPI_LONG, 0, 0, 2, MPI_LONG, heads);
    MPI_Win_flush(0, heads);
    MPI_Put(&self, 2, MPI_LONG, 0, 0, 2, MPI_LONG, heads);
    MPI_Win_unlock(0, heads);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  Link link;
  long count = 0, sum = 0;
  MPI_Win_lock_all(0, nodes);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, heads);
  MPI_Get(&link, 2, MPI_LONG, 0, 0, 2, MPI_LONG, heads);
  MPI_Win_unlock(0, heads);
  while (LOAD(link.address) != 0) {
    Node node;
    MPI_Get(&node, 3, MPI_LONG, (int)link.rank, link.address, 3, MPI_LONG, nodes);
    MPI_Win_flush((int)link.rank, nodes);
    ++count;
    sum += LOAD(node.value);
    link = node.next;
  }
  MPI_Win_unlock_all(nodes);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) printf("%ld nodes, sum %ld\n", count, sum);
  for (int i = 0; i < kEach; ++i) {
    MPI_Win_detach(nodes, mine[i]);
    MPI_Free_mem(mine[i]);
  }
  MPI_Win_free(&nodes);
  MPI_Win_free(&heads);
  MPI_Finalize();
}
