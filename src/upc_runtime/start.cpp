// Start and end of a thread.
#include <cstdio>
#include <cstdlib>

#include "upc_runtime/api.h"
#include "upc_runtime/heap.h"
#include "upc_runtime/segment.h"
#include "upc_runtime/statics.h"

using namespace photofinish::upc;

UPC_API void __upc_init(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_size(MPI_COMM_WORLD, &__upc_threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &__upc_mythread);
  check_static_threads();
  open_segment(place_heaps(place_statics(kFirstOffset)));
  initialize_statics();
  open_heaps();
  fence();
  MPI_Barrier(communicator());
  // From here on shared memory is usable.
  initialize_addresses();
  fence();
  MPI_Barrier(communicator());
}

UPC_API void __upc_finalize() {
  std::fflush(nullptr);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  fence();
  MPI_Barrier(communicator());
  close_segment();
  MPI_Finalize();
}

UPC_API void upc_global_exit(int status) { abort_all(status); }

// For the tool: the objects in shared memory. The heaps have no element size.
UPC_API void __upc_visit_objects(VisitStatic visit, void* context) {
  visit_statics(visit, context);
  const HeapBounds heaps = heap_bounds();
  visit(context, {.name = kGlobalHeapName}, heaps.global, heaps.local - heaps.global);
  visit(context, {.name = kLocalHeapName}, heaps.local, heaps.end - heaps.local);
}
