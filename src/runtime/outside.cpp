// What a process can ask its system and be told something else each time: clocks, random numbers,
// its own number. A library of its own, for recorded and replayed ranks only: nobody else's clock
// should take longer.
//
// Cannot see: instructions that read a counter, /dev/urandom, and what threads ask that never call
// MPI.
#include "runtime/outside.h"

#include <dlfcn.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#define EXPORTED extern "C" [[gnu::visibility("default")]]

namespace photofinish {
namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

OutsideFunction journal() {
  static const auto function =
      reinterpret_cast<OutsideFunction>(dlsym(RTLD_DEFAULT, kOutsideFunction));
  return function;
}

struct ClockReading {
  clockid_t clock;
  timespec time;
};

std::int64_t real_clock(clockid_t clock, timespec* time) {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  return real(clock, time);
}

int real_isatty(int file) {
  static auto* const real = next<int(int)>("isatty");
  return real(file);
}

}  // namespace

// libc's own buffer depends on what its output goes to, in its size (which other blocks of the heap
// would notice), and in whether lines are kept back: those are lost when the program is killed. On
// a terminal of our user's nothing is, whatever was recorded.
void set_output_buffer() {
  static char buffer[4096];
  const bool was_terminal = isatty(STDOUT_FILENO) != 0;
  setvbuf(stdout, buffer, was_terminal || real_isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF,
          sizeof buffer);
}

}  // namespace photofinish

using namespace photofinish;

EXPORTED int clock_gettime(clockid_t clock, timespec* time) noexcept {
  ClockReading reading{clock, {}};
  std::int64_t result = 0;
  const auto ask = [](void* data, std::size_t) {
    auto* r = static_cast<ClockReading*>(data);
    return real_clock(r->clock, &r->time);
  };
  if (journal() != nullptr && journal()(Outside::Clock, ask, &reading, sizeof reading, &result)) {
    *time = reading.time;
    return static_cast<int>(result);
  }
  return static_cast<int>(real_clock(clock, time));
}

EXPORTED time_t time(time_t* variable) noexcept {
  static auto* const real = next<time_t(time_t*)>("time");
  std::int64_t result = 0;
  const auto ask = [](void*, std::size_t) -> std::int64_t { return real(nullptr); };
  if (journal() == nullptr || !journal()(Outside::Time, ask, nullptr, 0, &result))
    result = real(nullptr);
  if (variable != nullptr) *variable = result;
  return result;
}

EXPORTED int gettimeofday(timeval* __restrict now, void* __restrict zone) noexcept {
  static auto* const real = next<int(timeval*, void*)>("gettimeofday");
  std::int64_t result = 0;
  const auto ask = [](void* data, std::size_t) -> std::int64_t {
    return real(static_cast<timeval*>(data), nullptr);
  };
  if (zone == nullptr && journal() != nullptr &&
      journal()(Outside::TimeOfDay, ask, now, sizeof *now, &result))
    return static_cast<int>(result);
  return real(now, zone);
}

EXPORTED clock_t clock() noexcept {
  static auto* const real = next<clock_t()>("clock");
  std::int64_t result = 0;
  const auto ask = [](void*, std::size_t) -> std::int64_t { return real(); };
  if (journal() != nullptr && journal()(Outside::ProcessorTime, ask, nullptr, 0, &result))
    return result;
  return real();
}

EXPORTED ssize_t getrandom(void* buffer, size_t bytes, unsigned flags) {
  static auto* const real = next<ssize_t(void*, size_t, unsigned)>("getrandom");
  std::int64_t result = 0;
  const auto ask = [](void* data, std::size_t size) -> std::int64_t { return real(data, size, 0); };
  if (flags == 0 && journal() != nullptr && journal()(Outside::Random, ask, buffer, bytes, &result))
    return result;
  return real(buffer, bytes, flags);
}

EXPORTED int getentropy(void* buffer, size_t bytes) {
  static auto* const real = next<int(void*, size_t)>("getentropy");
  std::int64_t result = 0;
  const auto ask = [](void* data, std::size_t size) -> std::int64_t { return real(data, size); };
  if (journal() != nullptr && journal()(Outside::Entropy, ask, buffer, bytes, &result))
    return static_cast<int>(result);
  return real(buffer, bytes);
}

EXPORTED int isatty(int file) noexcept {
  const auto ask = [](void* data, std::size_t) -> std::int64_t {
    return real_isatty(*static_cast<int*>(data));
  };
  std::int64_t result = 0;
  int asked = file;
  if (journal() == nullptr || !journal()(Outside::Terminal, ask, &asked, sizeof asked, &result))
    return real_isatty(file);
  if (result == 0) errno = ENOTTY;
  return static_cast<int>(result);
}

EXPORTED pid_t getpid() noexcept {
  static auto* const real = next<pid_t()>("getpid");
  std::int64_t result = 0;
  const auto ask = [](void*, std::size_t) -> std::int64_t { return real(); };
  if (journal() != nullptr && journal()(Outside::Process, ask, nullptr, 0, &result))
    return static_cast<pid_t>(result);
  return real();
}
