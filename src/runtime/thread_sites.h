// The sites (runtime_abi.h) of a thread that is not the program's first: copies that only it uses,
// so that it sets bits without a lock.
//
// Rule: a copy is as large as all writable data of the executable or library that the site lies in,
// zero at first, and as far from the original as `distance` says. Only pages with sites that the
// thread uses take memory. Limit: in objects that were dlopened and have no static TLS left, the
// loader refuses the program; so does it for any other use of that TLS model.
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

  // By the thread itself: its own of this site, which may be one already. Null: there is none.
  photofinish_site* own(photofinish_site& site);

 private:
  struct Copy {
    std::uintptr_t begin, end;  // of the original
    std::uintptr_t distance;
    std::uint64_t* told;  // where the thread keeps the distance; null: there is no copy
  };
  const Copy& add(std::uintptr_t address);

  const bool first_;
  void* const thread_;
  std::vector<Copy> copies_;
};

}  // namespace photofinish
