// One intercepted call of the coarray library: the body of every wrapper, which is that of UPC's
// (frontend/upc/interception.h). MPI calls and locks of the library are made inside the wrapper, so
// they are no events.
#pragma once

#include "frontend/caf/abi.h"
#include "frontend/caf/coarrays.h"
#include "frontend/caf/images.h"
#include "frontend/caf/table/caf_call.h"
#include "frontend/upc/interception.h"

// The library's own function, which our own declaration describes.
#define CAF_REAL(function) UPC_REAL(_gfortran_caf_##function)
#define CAF_ENTRY extern "C" [[gnu::visibility("default")]]

namespace photofinish::caf {

using mpi::Context;
using upc::kNothing;

// Starts the library, and the recording, if no call has done so yet: static coarrays are registered
// before main.
void ensure_started(CallSite call_site);

class Interception : public upc::Interception {
 public:
  // `initializes`: the call may be made before execution begins.
  explicit Interception(CallSite call_site, bool initializes = false)
      : upc::Interception(call_site) {
    if (!records()) return;
    if (Coarrays::get().has_undescribed()) describe_coarrays();
    if (!initializes && Coarrays::get().has_initialized())
      finish([] { Coarrays::get().end_initialization(); });
  }

 private:
  [[gnu::cold, gnu::noinline]] void describe_coarrays();
};

// The result of a call with stat=; 0 if it has none.
inline void set_result(Context& c, const int* stat) {
  c.event.result = stat != nullptr ? *stat : 0;
}
inline void set_team(Context& c, const Team& team) { c.event.fields.set(Field::comm, team.set); }

}  // namespace photofinish::caf
