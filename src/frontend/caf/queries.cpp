// Calls whose MPI calls are the library's own. They are no events.
#include "frontend/caf/interception.h"

using photofinish::caf::Descriptor;

CAF_ENTRY int _gfortran_caf_image_status(int image);
CAF_ENTRY void _gfortran_caf_failed_images(Descriptor* array, int team, int* kind);
CAF_ENTRY void _gfortran_caf_stopped_images(Descriptor* array, int team, int* kind);
CAF_ENTRY void _gfortran_caf_random_init(bool repeatable, bool distinct);

namespace photofinish::caf {

CAF_ENTRY int _gfortran_caf_image_status(int image) {
  Interception call(CALL_SITE);
  if (call.is_outermost()) Images::expect_stopped();
  return CAF_REAL(image_status)(image);
}
CAF_ENTRY void _gfortran_caf_failed_images(Descriptor* array, int team, int* kind) {
  Interception call(CALL_SITE);
  CAF_REAL(failed_images)(array, team, kind);
}
CAF_ENTRY void _gfortran_caf_stopped_images(Descriptor* array, int team, int* kind) {
  Interception call(CALL_SITE);
  if (call.is_outermost()) Images::expect_stopped();
  CAF_REAL(stopped_images)(array, team, kind);
}
CAF_ENTRY void _gfortran_caf_random_init(bool repeatable, bool distinct) {
  Interception call(CALL_SITE);
  CAF_REAL(random_init)(repeatable, distinct);
}

}  // namespace photofinish::caf
