#include "frontend/mpi/topology.h"

namespace photofinish::mpi {
namespace {

std::vector<int> sized(int count) { return std::vector<int>(static_cast<std::size_t>(count)); }

}  // namespace

void describe_topology(MPI_Comm comm, CommRecord& record) {
  int kind = MPI_UNDEFINED;
  REAL(PMPI_Topo_test)(comm, &kind);
  if (kind == MPI_UNDEFINED) return;

  std::vector<int> sources, destinations;
  if (kind == MPI_CART) {
    int dimensions = 0;
    REAL(PMPI_Cartdim_get)(comm, &dimensions);
    for (int i = 0; i < dimensions; ++i) {
      int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
      REAL(PMPI_Cart_shift)(comm, i, 1, &below, &above);
      sources.insert(sources.end(), {below, above});
    }
    destinations = sources;
  } else if (kind == MPI_GRAPH) {
    int count = 0;
    REAL(PMPI_Graph_neighbors_count)(comm, record.rank, &count);
    sources = sized(count);
    REAL(PMPI_Graph_neighbors)(comm, record.rank, count, sources.data());
    destinations = sources;
  } else {
    int in = 0, out = 0, weighted = 0;
    REAL(PMPI_Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
    sources = sized(in);
    destinations = sized(out);
    // MPI_UNWEIGHTED cannot be used: in MPICH it is a variable of the library. The weights of an
    // unweighted graph are not written.
    std::vector<int> in_weights = sized(in), out_weights = sized(out);
    REAL(PMPI_Dist_graph_neighbors)
    (comm, in, sources.data(), in_weights.data(), out, destinations.data(), out_weights.data());
  }
  record.definition.has_topology = true;
  for (const int rank : sources) record.definition.sources.push_back(record.peer(rank));
  for (const int rank : destinations) record.definition.destinations.push_back(record.peer(rank));
}

}  // namespace photofinish::mpi
