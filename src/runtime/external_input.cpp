// Intercepts external inputs from the system that differ between runs: clocks, random numbers, the
// process id; and environment variables that were not recorded. A library of its own, loaded in
// recorded and replayed ranks only, so that clocks of other ranks are not slowed down.
//
// What MPI and OpenMP runtimes ask for is no input of the program.
//
// Limits: it does not see counter instructions, /dev/urandom, and direct reads of `environ`.
#include "runtime/external_input.h"

#include <dlfcn.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#define EXPORTED extern "C" [[gnu::visibility("default")]]
#define CALLER __builtin_return_address(0)

namespace photofinish {
namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

ExternalInputFunction journal() {
  static const auto function =
      reinterpret_cast<ExternalInputFunction>(dlsym(RTLD_DEFAULT, kExternalInputFunction));
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

char* variable(std::string_view name) {
  for (char** one = environ; one != nullptr && *one != nullptr; ++one)
    if (std::strncmp(*one, name.data(), name.size()) == 0 && (*one)[name.size()] == '=')
      return *one + name.size() + 1;
  return nullptr;
}

// Names of the variables that were not recorded, in a replayed rank. Copied from the environment,
// since the tool unsets its own variables after MPI_Init.
struct LeftOut {
  char names[1 << 16] = {}, rank[16] = {};
  std::atomic<std::uint64_t> reported{0};  // one bit per name; those from the 64th on share one

  LeftOut() {
    if (const char* given = variable("PHOTOFINISH_REPLAY_LEFT_OUT"))
      std::strncpy(names, given, sizeof names - 1);
    if (const char* given = variable("PHOTOFINISH_REPLAY_RANK"))
      std::strncpy(rank, given, sizeof rank - 1);
  }
};

// Reports each name once, except queries by MPI and by OpenMP runtimes.
[[gnu::cold]] void report_left_out(LeftOut& left_out, std::string_view name, const void* caller) {
  int index = 0;
  for (std::string_view rest = left_out.names; !rest.empty(); ++index) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(one.size() < rest.size() ? one.size() + 1 : rest.size());
    if (one != name) continue;
    static const auto is_program =
        reinterpret_cast<bool (*)()>(dlsym(RTLD_DEFAULT, kProgramFunction));
    static const auto is_runtime =
        reinterpret_cast<bool (*)(const void*)>(dlsym(RTLD_DEFAULT, kRuntimeFunction));
    if (is_program != nullptr && !is_program()) return;
    if (is_runtime != nullptr && is_runtime(caller)) return;
    const std::uint64_t bit = std::uint64_t{1} << (index < 63 ? index : 63);
    if ((left_out.reported.fetch_or(bit) & bit) != 0) return;
    const int error = errno;
    dprintf(STDERR_FILENO,
            "photofinish: rank %s asks for the environment variable %.*s, which the record left "
            "out because it may be secret. Record it with: photofinish record --keep-env=%.*s …\n",
            left_out.rank, static_cast<int>(name.size()), name.data(),
            static_cast<int>(name.size()), name.data());
    errno = error;
    return;
  }
}

int real_isatty(int file) {
  static auto* const real = next<int(int)>("isatty");
  return real(file);
}

int recorded_isatty(int file, const void* caller) {
  const auto ask = [](void* data, std::size_t) -> std::int64_t {
    return real_isatty(*static_cast<int*>(data));
  };
  std::int64_t result = 0;
  int asked = file;
  if (journal() == nullptr ||
      !journal()(caller, ExternalInput::Terminal, ask, &asked, sizeof asked, &result))
    return real_isatty(file);
  if (result == 0) errno = ENOTTY;
  return static_cast<int>(result);
}

}  // namespace

// The size and mode of libc's output buffer depend on where the output goes. The size affects the
// heap; lines in the buffer are lost if the program is killed. So both are set as recorded; on a
// terminal, output is not held back.
void set_output_buffer() {
  static char buffer[4096];
  const bool was_terminal = recorded_isatty(STDOUT_FILENO, nullptr) != 0;
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
  if (journal() != nullptr &&
      journal()(CALLER, ExternalInput::Clock, ask, &reading, sizeof reading, &result)) {
    *time = reading.time;
    return static_cast<int>(result);
  }
  return static_cast<int>(real_clock(clock, time));
}

EXPORTED time_t time(time_t* variable) noexcept {
  static auto* const real = next<time_t(time_t*)>("time");
  std::int64_t result = 0;
  const auto ask = [](void*, std::size_t) -> std::int64_t { return real(nullptr); };
  if (journal() == nullptr || !journal()(CALLER, ExternalInput::Time, ask, nullptr, 0, &result))
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
      journal()(CALLER, ExternalInput::TimeOfDay, ask, now, sizeof *now, &result))
    return static_cast<int>(result);
  return real(now, zone);
}

EXPORTED clock_t clock() noexcept {
  static auto* const real = next<clock_t()>("clock");
  std::int64_t result = 0;
  const auto ask = [](void*, std::size_t) -> std::int64_t { return real(); };
  if (journal() != nullptr &&
      journal()(CALLER, ExternalInput::ProcessorTime, ask, nullptr, 0, &result))
    return result;
  return real();
}

EXPORTED ssize_t getrandom(void* buffer, size_t bytes, unsigned flags) {
  static auto* const real = next<ssize_t(void*, size_t, unsigned)>("getrandom");
  std::int64_t result = 0;
  const auto ask = [](void* data, std::size_t size) -> std::int64_t { return real(data, size, 0); };
  if (flags == 0 && journal() != nullptr &&
      journal()(CALLER, ExternalInput::Random, ask, buffer, bytes, &result))
    return result;
  return real(buffer, bytes, flags);
}

EXPORTED int getentropy(void* buffer, size_t bytes) {
  static auto* const real = next<int(void*, size_t)>("getentropy");
  std::int64_t result = 0;
  const auto ask = [](void* data, std::size_t size) -> std::int64_t { return real(data, size); };
  if (journal() != nullptr &&
      journal()(CALLER, ExternalInput::Entropy, ask, buffer, bytes, &result))
    return static_cast<int>(result);
  return real(buffer, bytes);
}

EXPORTED int isatty(int file) noexcept { return recorded_isatty(file, CALLER); }

static char* asked_variable(const char* name, const void* caller) {
  static LeftOut left_out;
  char* const found = variable(name);
  if (found == nullptr && left_out.names[0] != '\0') report_left_out(left_out, name, caller);
  return found;
}

EXPORTED char* getenv(const char* name) noexcept { return asked_variable(name, CALLER); }

EXPORTED char* secure_getenv(const char* name) noexcept { return asked_variable(name, CALLER); }

EXPORTED pid_t getpid() noexcept {
  static auto* const real = next<pid_t()>("getpid");
  std::int64_t result = 0;
  const auto ask = [](void*, std::size_t) -> std::int64_t { return real(); };
  if (journal() != nullptr && journal()(CALLER, ExternalInput::Process, ask, nullptr, 0, &result))
    return static_cast<pid_t>(result);
  return real();
}
