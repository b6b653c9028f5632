#include "frontend/mpi/stand_ins.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <vector>

namespace photofinish::mpi {
namespace {

// Handles that are never passed to the MPI library: a unique number or address.
template <class Handle>
Handle made_up() {
  static int count = 0x7f000000;
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Handle>(new std::max_align_t[16]());
  else
    return static_cast<Handle>(++count);
}

}  // namespace

MPI_Comm stand_in_comm(MPI_Comm parent) {
  MPI_Comm comm = MPI_COMM_NULL;
  REAL(PMPI_Comm_split)(parent != MPI_COMM_NULL ? parent : MPI_COMM_SELF, 0, 0, &comm);
  return comm;
}

MPI_Comm stand_in_duplicate(MPI_Comm original) {
  MPI_Comm comm = MPI_COMM_NULL;
  REAL(PMPI_Comm_dup)(original, &comm);
  return comm;
}

MPI_Group stand_in_group() {
  MPI_Group self = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  const int rank = 0;
  REAL(PMPI_Comm_group)(MPI_COMM_SELF, &self);
  REAL(PMPI_Group_incl)(self, 1, &rank, &group);
  REAL(PMPI_Group_free)(&self);
  return group;
}

MPI_Message stand_in_message() { return made_up<MPI_Message>(); }
MPI_File stand_in_file() { return made_up<MPI_File>(); }

MPI_Request stand_in_request() {
  MPI_Request request = MPI_REQUEST_NULL;
  REAL(PMPI_Grequest_start)
  ([](void*, MPI_Status*) { return MPI_SUCCESS; }, [](void*) { return MPI_SUCCESS; },
   [](void*, int) { return MPI_SUCCESS; }, nullptr, &request);
  return request;
}

void release_request(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return;
  REAL(PMPI_Grequest_complete)(request);
  REAL(PMPI_Request_free)(&request);
}

MPI_Win stand_in_win(void* base, MPI_Aint bytes) {
  MPI_Win win = MPI_WIN_NULL;
  REAL(PMPI_Win_create)(base, bytes, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  return win;
}

void* map_at(std::uint64_t address, std::uint64_t bytes) {
  struct Pages {
    std::uint64_t begin, end;
  };
  static auto* const ours = new std::vector<Pages>;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t end = (address + bytes + page - 1) & ~(page - 1);
  // Several windows may have memory on one page.
  for (std::uint64_t at = address & ~(page - 1); at < end;) {
    const auto known = std::find_if(ours->begin(), ours->end(), [&](const Pages& pages) {
      return pages.begin <= at && at < pages.end;
    });
    if (known != ours->end()) {
      at = known->end;
      continue;
    }
    std::uint64_t until = end;
    for (const Pages& pages : *ours)
      if (pages.begin > at) until = std::min(until, pages.begin);
    void* const wanted = reinterpret_cast<void*>(at);
    void* const got =
        mmap(wanted, until - at, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != wanted) {
      if (got != MAP_FAILED) munmap(got, until - at);
      return nullptr;
    }
    ours->push_back({at, until});
    at = until;
  }
  return reinterpret_cast<void*>(address);
}

void reserve_ranges(const char* text) {
  while (*text != '\0') {
    char* end = nullptr;
    const std::uint64_t address = std::strtoull(text, &end, 16);
    if (*end != '+') return;
    const std::uint64_t bytes = std::strtoull(end + 1, &end, 16);
    map_at(address, bytes);
    text = *end == ',' ? end + 1 : end;
  }
}

}  // namespace photofinish::mpi
