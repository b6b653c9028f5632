#include "runtime/thread_sites.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/notes.h"

namespace photofinish {
namespace {

// The object that contains an address: the writable segment with the address, and the bounds of the
// whole object.
struct Object {
  std::uintptr_t address;
  std::uintptr_t begin = 0, end = 0;
  std::uintptr_t first = ~std::uintptr_t{0}, last = 0;
};

int find_object(dl_phdr_info* info, std::size_t, void* argument) {
  Object& wanted = *static_cast<Object*>(argument);
  Object found{wanted.address};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    found.first = std::min(found.first, begin);
    found.last = std::max(found.last, end);
    if ((segment.p_flags & PF_W) != 0 && begin <= found.address && found.address < end)
      found.begin = begin, found.end = end;
  }
  if (found.end == 0) return 0;
  wanted = found;
  return 1;
}

}  // namespace

ThreadSites::ThreadSites()
    : first_(syscall(SYS_gettid) == getpid()), thread_(__builtin_thread_pointer()) {}

ThreadSites::~ThreadSites() {
  for (const Copy& copy : copies_) {
    if (copy.variable == nullptr) continue;
    if (__builtin_thread_pointer() == thread_)
      *copy.variable = 0;  // otherwise the thread has ended
    munmap(reinterpret_cast<void*>(copy.begin + copy.distance), copy.end - copy.begin);
  }
}

photofinish_site* ThreadSites::own(photofinish_site& site) {
  if (first_) return &site;
  const auto address = reinterpret_cast<std::uintptr_t>(&site);
  const auto found = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& copy) {
    return address - copy.begin < copy.end - copy.begin ||
           address - copy.begin - copy.distance < copy.end - copy.begin;
  });
  const Copy& copy = found != copies_.end() ? *found : add(address);
  if (copy.variable == nullptr) return nullptr;
  if (address - copy.begin >= copy.end - copy.begin) return &site;
  return reinterpret_cast<photofinish_site*>(address + copy.distance);
}

const ThreadSites::Copy& ThreadSites::add(std::uintptr_t address) {
  constexpr std::uintptr_t kPage = 1 << PHOTOFINISH_PAGE_BITS;
  Object object{address};
  Copy copy{address, address + 1, 0, nullptr};
  if (dl_iterate_phdr(find_object, &object) != 0) {
    copy.begin = object.begin / kPage * kPage;
    copy.end = (object.end + kPage - 1) / kPage * kPage;
    for (void* function : noted(PHOTOFINISH_THREADS_ABI)) {
      const auto at = reinterpret_cast<std::uintptr_t>(function);
      if (at < object.first || object.last <= at) continue;
      void* const mapped = mmap(nullptr, copy.end - copy.begin, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (mapped == MAP_FAILED) break;
      copy.distance = reinterpret_cast<std::uintptr_t>(mapped) - copy.begin;
      copy.variable = reinterpret_cast<std::uint64_t* (*)()>(function)();
      *copy.variable = copy.distance;
      break;
    }
  }
  return copies_.emplace_back(copy);
}

}  // namespace photofinish
