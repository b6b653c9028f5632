// sync statements, locks, critical constructs, events, teams.
#include "frontend/caf/interception.h"

using photofinish::caf::Descriptor;

CAF_ENTRY void _gfortran_caf_sync_all(int* stat, char* message, std::size_t length);
CAF_ENTRY void _gfortran_caf_sync_images(int count, int* images, int* stat, char* message,
                                         std::size_t length);
CAF_ENTRY void _gfortran_caf_sync_memory(int* stat, char* message, std::size_t length);
CAF_ENTRY void _gfortran_caf_lock(void* token, std::size_t index, int image, int* acquired,
                                  int* stat, char* message, std::size_t length);
CAF_ENTRY void _gfortran_caf_unlock(void* token, std::size_t index, int image, int* stat,
                                    char* message, std::size_t length);
CAF_ENTRY void _gfortran_caf_event_post(void* token, std::size_t index, int image, int* stat,
                                        char* message, std::size_t length);
CAF_ENTRY void _gfortran_caf_event_wait(void* token, std::size_t index, int until, int* stat,
                                        char* message, std::size_t length);
CAF_ENTRY void _gfortran_caf_event_query(void* token, std::size_t index, int image, int* count,
                                         int* stat);
CAF_ENTRY void _gfortran_caf_form_team(int number, void** team, int index);
CAF_ENTRY void _gfortran_caf_change_team(void** team, int selector);
CAF_ENTRY void _gfortran_caf_end_team(void** team);
CAF_ENTRY void _gfortran_caf_sync_team(void** team, int unused);

namespace photofinish::caf {
namespace {

// All images of a team.
template <class Made>
void run_barrier(Interception& call, Call what, const Team& team, const int* stat, Made made) {
  call.waiting(
      what, [&](Context& c) { set_team(c, team); }, made, [&](Context& c) { set_result(c, stat); });
}

// The images of a lock or event variable are those of the team that allocated it. Image 0: this
// one.
int image_of(const Coarray& coarray, int image) {
  if (image != 0) return image;
  const auto& images = coarray.team->images;
  const auto self = std::find(images.begin(), images.end(), Images::get().self());
  return static_cast<int>(self - images.begin()) + 1;
}

// A variable of a coarray: fields win and target, and its number as Field::key.
void name_variable(Context& c, const Coarray& coarray, int image, std::size_t index) {
  c.event.fields.set(Field::win, coarray.region.id);
  c.event.fields.set(Field::target, coarray.team->image(image).value);
  c.event.fields.set(Field::key, static_cast<std::int64_t>(index));
}

// Of a call that is recorded, on a lock or event variable that is known.
const Coarray* variable_of(const Interception& call, const void* token) {
  const Coarray* const coarray = call.records() ? Coarrays::get().find(token) : nullptr;
  return coarray != nullptr && coarray->counters != MPI_WIN_NULL ? coarray : nullptr;
}

}  // namespace

CAF_ENTRY void _gfortran_caf_sync_all(int* stat, char* message, std::size_t length) {
  Interception call(CALL_SITE);
  if (stat != nullptr && call.is_outermost()) Images::expect_stopped();
  const auto made = [&] { CAF_REAL(sync_all)(stat, message, length); };
  if (!call.records()) return made();
  run_barrier(call, CafCall::caf_sync_all, Images::get().current(), stat, made);
}

// The world ranks of the images are Event::numbers; this one is not among them.
CAF_ENTRY void _gfortran_caf_sync_images(int count, int* images, int* stat, char* message,
                                         std::size_t length) {
  Interception call(CALL_SITE);
  if (stat != nullptr && call.is_outermost()) Images::expect_stopped();
  call.waiting(
      CafCall::caf_sync_images,
      [&](Context& c) {
        const Team& team = Images::get().current();
        set_team(c, team);
        const auto add = [&](WorldRank rank) {
          if (rank != Images::get().self() && rank.value >= 0)
            c.event.numbers.push_back(rank.value);
        };
        if (count < 0)
          for (const WorldRank rank : team.images) add(rank);
        else
          for (int i = 0; i < count; ++i) add(team.image(images[i]));
      },
      [&] { CAF_REAL(sync_images)(count, images, stat, message, length); },
      [&](Context& c) { set_result(c, stat); });
}

CAF_ENTRY void _gfortran_caf_sync_memory(int* stat, char* message, std::size_t length) {
  Interception call(CALL_SITE);
  call.returning(
      CafCall::caf_sync_memory, [&] { CAF_REAL(sync_memory)(stat, message, length); }, kNothing);
}

// --- locks. A critical construct is a lock on image 1.

CAF_ENTRY void _gfortran_caf_lock(void* token, std::size_t index, int image, int* acquired,
                                  int* stat, char* message, std::size_t length) {
  Interception call(CALL_SITE);
  const auto made = [&] { CAF_REAL(lock)(token, index, image, acquired, stat, message, length); };
  const Coarray* const lock = variable_of(call, token);
  if (lock == nullptr) return made();
  const int home = image_of(*lock, image);
  const auto add_turn = [&](Context& c) {
    set_result(c, stat);
    if (c.event.result == 0) c.event.fields.set(Field::value, Coarrays::count(*lock, home, index));
  };
  if (acquired == nullptr)
    return call.waiting(
        CafCall::caf_lock, [&](Context& c) { name_variable(c, *lock, home, index); }, made,
        add_turn);
  bool failed = false;
  call.attempting(
      CafCall::caf_lock,
      [&] {
        made();
        failed = (*acquired & 1) == 0 || (stat != nullptr && *stat != 0);
      },
      failed,
      [&](Context& c) {
        name_variable(c, *lock, home, index);
        if (!failed) add_turn(c);
      });
}

CAF_ENTRY void _gfortran_caf_unlock(void* token, std::size_t index, int image, int* stat,
                                    char* message, std::size_t length) {
  Interception call(CALL_SITE);
  const auto made = [&] { CAF_REAL(unlock)(token, index, image, stat, message, length); };
  const Coarray* const lock = variable_of(call, token);
  if (lock == nullptr) return made();
  const int home = image_of(*lock, image);
  call.waiting(
      CafCall::caf_unlock, [&](Context& c) { name_variable(c, *lock, home, index); }, made,
      [&](Context& c) { set_result(c, stat); });
}

// --- events

// Units are numbered before they are posted: a wait may return as soon as one is there.
CAF_ENTRY void _gfortran_caf_event_post(void* token, std::size_t index, int image, int* stat,
                                        char* message, std::size_t length) {
  Interception call(CALL_SITE);
  const auto made = [&] { CAF_REAL(event_post)(token, index, image, stat, message, length); };
  const Coarray* const event = variable_of(call, token);
  if (event == nullptr) return made();
  const int home = image_of(*event, image);
  call.waiting(
      CafCall::caf_event_post,
      [&](Context& c) {
        name_variable(c, *event, home, index);
        c.event.fields.set(Field::value, Coarrays::count(*event, home, index) + 1);
        c.event.fields.set(Field::size, 1);
      },
      made, [&](Context& c) { set_result(c, stat); });
}

CAF_ENTRY void _gfortran_caf_event_wait(void* token, std::size_t index, int until, int* stat,
                                        char* message, std::size_t length) {
  Interception call(CALL_SITE);
  const auto made = [&] { CAF_REAL(event_wait)(token, index, until, stat, message, length); };
  const Coarray* const known = variable_of(call, token);
  if (known == nullptr) return made();
  Coarray& event = *Coarrays::get().find(token);
  const int home = image_of(event, 0);
  call.waiting(
      CafCall::caf_event_wait, [&](Context& c) { name_variable(c, event, home, index); }, made,
      [&](Context& c) {
        set_result(c, stat);
        if (c.event.result != 0) return;
        const std::int64_t count = std::max(until, 1);
        c.event.fields.set(Field::value, event.taken[index] += count);
        c.event.fields.set(Field::size, count);
      });
}

CAF_ENTRY void _gfortran_caf_event_query(void* token, std::size_t index, int image, int* count,
                                         int* stat) {
  Interception call(CALL_SITE);  // its accesses are none of the program, and it orders nothing
  CAF_REAL(event_query)(token, index, image, count, stat);
}

// --- teams

CAF_ENTRY void _gfortran_caf_form_team(int number, void** team, int index) {
  Interception call(CALL_SITE);
  const auto made = [&] { CAF_REAL(form_team)(number, team, index); };
  if (!call.is_outermost()) return made();
  call.waiting(
      CafCall::caf_form_team, [&](Context& c) { set_team(c, Images::get().current()); },
      [&] {
        Images::gather_numbers(number);
        made();
        Images::note_formed(*team);
      },
      [&](Context& c) {
        set_result(c, nullptr);
        Images::get().formed(*team, number);
      });
}

CAF_ENTRY void _gfortran_caf_change_team(void** team, int selector) {
  Interception call(CALL_SITE);
  const auto made = [&] {
    CAF_REAL(change_team)(team, selector);
    Images::note_entered(*team);
  };
  Team* const entered = call.records() ? Images::get().find(*team) : nullptr;
  if (entered == nullptr) return made();
  run_barrier(call, CafCall::caf_change_team, *entered, nullptr, made);
  Images::get().enter(*entered);
}

CAF_ENTRY void _gfortran_caf_end_team(void** team) {
  Interception call(CALL_SITE);
  const auto made = [&] {
    CAF_REAL(end_team)(team);
    Images::note_left();
  };
  if (!call.records()) return made();
  run_barrier(call, CafCall::caf_end_team, Images::get().current(), nullptr, made);
  Images::get().leave();
}

CAF_ENTRY void _gfortran_caf_sync_team(void** team, int unused) {
  Interception call(CALL_SITE);
  const auto made = [&] { CAF_REAL(sync_team)(team, unused); };
  if (!call.records()) return made();
  Team* const known = Images::get().find(*team);
  run_barrier(call, CafCall::caf_sync_team, known != nullptr ? *known : Images::get().initial(),
              nullptr, made);
}

}  // namespace photofinish::caf
