// Collective subroutines: each image accesses its own argument.
#include "frontend/caf/accesses.h"

using photofinish::caf::Descriptor;

CAF_ENTRY void _gfortran_caf_co_broadcast(Descriptor* array, int image, int* stat, char* message,
                                          std::size_t length);
CAF_ENTRY void _gfortran_caf_co_sum(Descriptor* array, int image, int* stat, char* message,
                                    std::size_t length);
CAF_ENTRY void _gfortran_caf_co_min(Descriptor* array, int image, int* stat, char* message,
                                    int characters, std::size_t length);
CAF_ENTRY void _gfortran_caf_co_max(Descriptor* array, int image, int* stat, char* message,
                                    int characters, std::size_t length);
CAF_ENTRY void _gfortran_caf_co_reduce(Descriptor* array, void* (*operation)(void*, void*),
                                       int flags, int image, int* stat, char* message,
                                       int characters, std::size_t length);

namespace photofinish::caf {
namespace {

// `image`: 0 if all images have the result.
template <class Made>
void run_collective(CallSite call_site, Call what, const Descriptor& array, int image,
                    const int* stat, Made made) {
  Interception call(call_site);
  call.waiting(
      what,
      [&](Context& c) {
        const Team& team = Images::get().current();
        set_team(c, team);
        const WorldRank root = image != 0 ? team.image(image) : kProcNull;
        if (image != 0) c.event.fields.set(Field::root, root.value);
        const bool here = image == 0 || root == Images::get().self();
        const bool broadcasts = what == CafCall::caf_co_broadcast;
        add_array(c,
                  broadcasts ? (here ? BufferUse::Read : BufferUse::Write)
                             : (here ? BufferUse::ReadWrite : BufferUse::Read),
                  array);
      },
      made, [&](Context& c) { set_result(c, stat); });
}

}  // namespace

CAF_ENTRY void _gfortran_caf_co_broadcast(Descriptor* array, int image, int* stat, char* message,
                                          std::size_t length) {
  run_collective(CALL_SITE, CafCall::caf_co_broadcast, *array, image, stat,
                 [&] { CAF_REAL(co_broadcast)(array, image, stat, message, length); });
}

CAF_ENTRY void _gfortran_caf_co_sum(Descriptor* array, int image, int* stat, char* message,
                                    std::size_t length) {
  run_collective(CALL_SITE, CafCall::caf_co_sum, *array, image, stat,
                 [&] { CAF_REAL(co_sum)(array, image, stat, message, length); });
}

CAF_ENTRY void _gfortran_caf_co_min(Descriptor* array, int image, int* stat, char* message,
                                    int characters, std::size_t length) {
  run_collective(CALL_SITE, CafCall::caf_co_min, *array, image, stat,
                 [&] { CAF_REAL(co_min)(array, image, stat, message, characters, length); });
}

CAF_ENTRY void _gfortran_caf_co_max(Descriptor* array, int image, int* stat, char* message,
                                    int characters, std::size_t length) {
  run_collective(CALL_SITE, CafCall::caf_co_max, *array, image, stat,
                 [&] { CAF_REAL(co_max)(array, image, stat, message, characters, length); });
}

CAF_ENTRY void _gfortran_caf_co_reduce(Descriptor* array, void* (*operation)(void*, void*),
                                       int flags, int image, int* stat, char* message,
                                       int characters, std::size_t length) {
  run_collective(CALL_SITE, CafCall::caf_co_reduce, *array, image, stat, [&] {
    CAF_REAL(co_reduce)(array, operation, flags, image, stat, message, characters, length);
  });
}

}  // namespace photofinish::caf
