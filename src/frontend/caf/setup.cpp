// Start and end of the images. The library starts MPI.
//
// OpenCoarrays ends `stop` with MPI_Abort, as soon as one image reaches it: other images would lose
// what they have recorded. Here an image that stops first waits for the others to reach their end,
// as the standard demands. All complete the analysis, and end without MPI_Abort, with the same
// message and exit code. The wait has a limit, since another image may wait for this one: then the
// library's MPI_Abort ends the program. An image that comes to the end of the program waits, too;
// with a limit only if some image uses the status STAT_STOPPED_IMAGE.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "frontend/caf/interception.h"
#include "frontend/mpi/start.h"

using photofinish::caf::Descriptor;

CAF_ENTRY void _gfortran_caf_init(int* argc, char*** argv);
CAF_ENTRY void _gfortran_caf_finalize();
CAF_ENTRY void _gfortran_caf_stop_numeric(int code, bool quiet);
CAF_ENTRY void _gfortran_caf_stop_str(const char* text, std::size_t length, bool quiet);
CAF_ENTRY void _gfortran_caf_error_stop(int code, bool quiet);
CAF_ENTRY void _gfortran_caf_error_stop_str(const char* text, std::size_t length, bool quiet);
CAF_ENTRY void _gfortran_caf_fail_image();

namespace photofinish::caf {
namespace {

bool g_started = false;

// The first call of the process.
void run_first_call(CallSite call_site, int* argc, char*** argv) {
  g_started = true;
  mpi::Inside inside(call_site);
  const bool starts_mpi = Recorder::get() == nullptr;
  if (starts_mpi) guarded(mpi::before_first_call);
  const std::uint64_t begun = ticks();
  CAF_REAL(init)(argc, argv);
  const std::uint64_t end = ticks();
  Recorder* const recorder = starts_mpi ? mpi::start_recording(nullptr, begun) : Recorder::get();
  if (recorder != nullptr || has_failed()) Images::prepare();
  Task* const task = recorder != nullptr ? mpi::task_of(*recorder) : nullptr;
  if (task == nullptr || !guarded([&] {
        Images::get().start();
        Coarrays::get().start();
        upc::steered::start(Coarrays::get());
        Context c(*task, CafCall::caf_init);
        mpi::locate(c, call_site);
        set_team(c, Images::get().initial());
        append_event(c, *recorder, begun, end);
      }))
    mpi::take_leave();
}

// `finish`: what ends the image if all images are at their end. Nothing is recorded from there on.
template <class Made, class Finish>
void run_to_end(CallSite call_site, Call call, std::int64_t code, Made made, Finish finish) {
  Interception end(call_site);
  if (!end.is_outermost()) return made();
  const bool is_stop = call == CafCall::caf_stop;
  const bool all = end.ending(
      call,
      [&](Context& c) {
        set_team(c, Images::get().initial());
        c.event.fields.set(Field::code, code);
      },
      [&] { return Images::meet_at_end(is_stop); });
  if (all) return finish();
  if (Recorder* const recorder = Recorder::last(); recorder != nullptr && is_stop)
    recorder->aborting(static_cast<int>(code));
  made();
}

void stop_normally(std::string_view text, int code, bool quiet) {
  if (!quiet) {
    const std::string line = "STOP " + std::string(text) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
  CAF_REAL(finalize)();
  std::exit(code);
}

template <class Made>
void run_error_stop(CallSite call_site, Call call, int code, Made made) {
  Interception stop(call_site);
  stop.waiting(
      call, [&](Context& c) { c.event.fields.set(Field::code, code); },
      [&] {
        if (stop.records())
          Recorder::last()->aborting(code);
        else if (stop.is_outermost())
          mpi::before_passing_on(Action::Abort, code);
        made();
      },
      kNothing);
}

}  // namespace

void ensure_started(CallSite call_site) {
  if (!g_started && !mpi::is_inside(call_site) && !upc::passes_all_on())
    run_first_call(call_site, nullptr, nullptr);
}

CAF_ENTRY void _gfortran_caf_init(int* argc, char*** argv) {
  const CallSite call_site = CALL_SITE;
  if (g_started || mpi::is_inside(call_site) || upc::passes_all_on()) {
    Interception call(call_site);  // of main: the static coarrays are initialized
    return CAF_REAL(init)(argc, argv);
  }
  run_first_call(call_site, argc, argv);
}

CAF_ENTRY void _gfortran_caf_finalize() {
  const auto made = [] { CAF_REAL(finalize)(); };
  run_to_end(CALL_SITE, CafCall::caf_finalize, 0, made, made);
}
CAF_ENTRY void _gfortran_caf_stop_numeric(int code, bool quiet) {
  run_to_end(
      CALL_SITE, CafCall::caf_stop, code,
      [&] {
        CAF_REAL(stop_numeric)
        (code, quiet);
      },
      [&] { stop_normally(std::to_string(code), code, quiet); });
}
CAF_ENTRY void _gfortran_caf_stop_str(const char* text, std::size_t length, bool quiet) {
  run_to_end(
      CALL_SITE, CafCall::caf_stop, 0,
      [&] {
        CAF_REAL(stop_str)
        (text, length, quiet);
      },
      [&] { stop_normally({text, text != nullptr ? length : 0}, 0, quiet); });
}

CAF_ENTRY void _gfortran_caf_error_stop(int code, bool quiet) {
  run_error_stop(CALL_SITE, CafCall::caf_error_stop, code,
                 [&] { CAF_REAL(error_stop)(code, quiet); });
}
CAF_ENTRY void _gfortran_caf_error_stop_str(const char* text, std::size_t length, bool quiet) {
  run_error_stop(CALL_SITE, CafCall::caf_error_stop, 1,
                 [&] { CAF_REAL(error_stop_str)(text, length, quiet); });
}
CAF_ENTRY void _gfortran_caf_fail_image() {
  run_error_stop(CALL_SITE, CafCall::caf_fail_image, 1, [] { CAF_REAL(fail_image)(); });
}

}  // namespace photofinish::caf
