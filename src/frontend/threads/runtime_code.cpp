#include "frontend/threads/runtime_code.h"

#include <link.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

namespace photofinish {
namespace {

struct Range {
  std::uintptr_t begin, end;
};

bool is_runtime_name(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  const char* const name = slash != nullptr ? slash + 1 : path;
  for (const char* prefix : {"libomp", "libiomp", "libgomp", "libmpi", "libopen-", "libpmix",
                             "libpmi", "libprrte", "libuc", "libevent", "libhwloc", "libfabric",
                             "libpsm", "libibverbs", "librdmacm", "libphotofinish-"})
    if (std::strncmp(name, prefix, std::strlen(prefix)) == 0) return true;
  return std::strstr(path, "/openmpi/") != nullptr || std::strstr(path, "/pmix") != nullptr;
}

}  // namespace

// Objects that were loaded since are looked for again.
bool is_runtime(const void* code) {
  struct Object {
    Range range;
    bool runtime;
  };
  static std::atomic_flag busy;  // no mutex: locking one would ask again
  static auto* const objects = new std::vector<Object>;
  thread_local Object known[4] = {};
  thread_local unsigned next = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  const auto contains = [&](const Object& object) {
    return object.range.begin <= address && address < object.range.end;
  };
  for (const Object& object : known)
    if (contains(object)) return object.runtime;
  while (busy.test_and_set(std::memory_order_acquire)) sched_yield();
  struct Release {
    ~Release() { busy.clear(std::memory_order_release); }
  } release;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto found = std::find_if(objects->begin(), objects->end(), contains);
    if (found != objects->end()) return (known[next++ % 4] = *found).runtime;
    objects->clear();
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void*) {
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const ElfW(Phdr)& segment = info->dlpi_phdr[i];
            if (segment.p_type != PT_LOAD) continue;
            const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
            objects->push_back(
                {{begin, begin + segment.p_memsz}, is_runtime_name(info->dlpi_name)});
          }
          return 0;
        },
        nullptr);
  }
  return false;
}

}  // namespace photofinish
