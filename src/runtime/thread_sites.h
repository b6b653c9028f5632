// Copies of the access sites (runtime_abi.h) for each thread but the first of the program. Only
// that thread uses a copy, so it sets bits without a lock.
//
// Rule: a copy spans the writable segment of the executable or library that contains the site, at
// `distance` bytes from the original. It is zero at first. Only pages with sites that the thread
// uses take memory. Limit: the thread-local variable with the distance is in static TLS. dlopen of
// an instrumented object fails if no static TLS is left, as for any other object of that TLS model.
#pragma once

#include <cstdint>
#include <vector>

#include "photofinish/runtime_abi.h"

namespace photofinish {

class ThreadSites {
 public:
  ThreadSites();
  ~ThreadSites();
  ThreadSites(const ThreadSites&) = delete;
  ThreadSites& operator=(const ThreadSites&) = delete;

  // Returns the thread's copy of the site, which may be `site` itself. Null if there is none.
  // Called by the thread itself.
  photofinish_site* own(photofinish_site& site);

 private:
  struct Copy {
    std::uintptr_t begin, end;  // the original
    std::uintptr_t distance;
    std::uint64_t* variable;  // PHOTOFINISH_DISTANCE of the thread; null: there is no copy
  };
  const Copy& add(std::uintptr_t address);

  const bool first_;
  void* const thread_;
  std::vector<Copy> copies_;
};

}  // namespace photofinish
