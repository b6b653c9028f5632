// upc_barrier, and upc_notify and upc_wait as its two halves. Values are compared when the barrier
// completes. Threads may use either form of one barrier; the tool has to know whether all used
// upc_barrier.
#include <climits>
#include <string>

#include "upc_runtime/api.h"
#include "upc_runtime/segment.h"

extern "C" {
// Whether some thread reached the last barrier by upc_notify.
__attribute__((visibility("default"))) int __upc_barrier_was_split = 0;
}

namespace photofinish::upc {
namespace {

bool notified = false, has_value = false;
int value = 0;
MPI_Request request = MPI_REQUEST_NULL;
// A value, its negative, and whether the barrier is split.
long sent[3], largest[3];

// INT_MIN - 1 is smaller than each value and each negative.
constexpr long kNone = static_cast<long>(INT_MIN) - 1;

void notify(bool has, int given, bool split) {
  if (notified) die("upc_notify follows a upc_notify: a upc_wait must come between");
  notified = true;
  has_value = has;
  value = given;
  sent[0] = has ? given : kNone;
  sent[1] = has ? -static_cast<long>(given) : kNone;
  sent[2] = split ? 1 : 0;
  complete_all();
  fence();
  MPI_Iallreduce(sent, largest, 3, MPI_LONG, MPI_MAX, communicator(), &request);
}

void wait(bool has, int given) {
  if (!notified) die("upc_wait without a upc_notify before it");
  if (has && has_value && given != value)
    die("upc_wait " + std::to_string(given) + " follows upc_notify " + std::to_string(value) +
        ": the values must be equal");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  fence();
  notified = false;
  __upc_barrier_was_split = static_cast<int>(largest[2]);
  if (largest[0] != kNone && largest[0] != -largest[1])
    die("threads reached barriers with different values: " + std::to_string(-largest[1]) + " and " +
        std::to_string(largest[0]));
}

}  // namespace
}  // namespace photofinish::upc

using namespace photofinish::upc;

UPC_API void __upc_notify(int has, int given) { notify(has != 0, given, true); }
UPC_API void __upc_wait(int has, int given) { wait(has != 0, given); }

UPC_API void __upc_barrier(int has, int given) {
  notify(has != 0, given, false);
  wait(has != 0, given);
}

UPC_API void __upc_fence() {
  complete_all();
  fence();
}

extern "C" __attribute__((visibility("default"))) int __upc_forall_depth;
int __upc_forall_depth = 0;
