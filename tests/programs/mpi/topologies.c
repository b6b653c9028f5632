// Cartesian, graph and distributed graph topologies: the neighbors, in world ranks.
#include "check.h"
// run: ranks=6
// output: neighbors known
// expect rank all: MPI_Cart_create comm=MPI_COMM_WORLD new=$cart
// expect define rank all: $cart uid=$CART group={0-5} parent=MPI_COMM_WORLD
// expect define rank 0: $cart sources={NULL,3,2,1} destinations={NULL,3,2,1}
// expect define rank 4: $cart sources={1,NULL,3,5} destinations={1,NULL,3,5}
// expect rank all: MPI_Cart_sub comm=$cart new=$row
// expect define rank 0-2: $row uid=$LOW group={0-2} sources=* destinations=*
// expect define rank 3-5: $row uid=$HIGH group={3-5} parent=$cart
// expect distinct: $LOW $HIGH $CART
// expect rank 4: MPI_Sendrecv comm=$row to=5 from=3 matched=3
// expect rank all: MPI_Graph_create new=$graph
// expect define rank 0: $graph uid=$GRAPH sources={1,5} destinations={1,5}
// expect define rank 3: $graph uid=$GRAPH sources={2,4} destinations={2,4}
// expect rank all: MPI_Dist_graph_create_adjacent new=$adjacent
// expect define rank 2: $adjacent uid=$ADJACENT sources={1} destinations={3,0}
// expect define rank 0: $adjacent uid=$ADJACENT sources={5,2} destinations={1}
// expect rank all: MPI_Dist_graph_create new=$dist
// expect define rank 5: $dist uid=$DIST sources={4} destinations={0}
// expect define rank 0: $dist uid=$DIST sources={5} destinations={1}
// expect distinct: $GRAPH $ADJACENT $DIST

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, in = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm cart, row, graph, adjacent, dist;
  const int sizes[2] = {2, 3}, periods[2] = {0, 1}, keep[2] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &cart);
  MPI_Cart_sub(cart, keep, &row);
  int before, after;
  MPI_Cart_shift(row, 0, 1, &before, &after);
  MPI_Sendrecv(&rank, 1, MPI_INT, after, 0, &in, 1, MPI_INT, before, 0, row, MPI_STATUS_IGNORE);
  CHECK(in == rank / 3 * 3 + (rank + 2) % 3);

  int index[6], edges[12];  // a ring in both directions; neighbors in ascending order
  for (int i = 0; i < 6; ++i) {
    const int a = (i + 5) % 6, b = (i + 1) % 6;
    index[i] = 2 * i + 2;
    edges[2 * i] = a < b ? a : b;
    edges[2 * i + 1] = a < b ? b : a;
  }
  MPI_Graph_create(MPI_COMM_WORLD, 6, index, edges, 0, &graph);

  // A ring in one direction, and one more edge, from 2 to 0.
  const int left = (rank + 5) % 6, right = (rank + 1) % 6;
  const int sources[2] = {left, 2}, destinations[2] = {right, 0};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 0 ? 2 : 1, sources, MPI_UNWEIGHTED,
                                 rank == 2 ? 2 : 1, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &adjacent);
  const int weight = 3, one = 1;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &right, &weight, MPI_INFO_NULL, 0, &dist);

  MPI_Comm_free(&dist);
  MPI_Comm_free(&adjacent);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&row);
  MPI_Comm_free(&cart);
  if (rank == 0) printf("neighbors known\n");
  MPI_Finalize();
}
