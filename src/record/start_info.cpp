#include "record/start_info.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/reader.h"

namespace photofinish {
namespace {

// Texts that end with a zero each.
std::vector<std::string> texts_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> texts;
  for (std::string text; std::getline(file, text, '\0');) texts.push_back(text);
  return texts;
}

}  // namespace

std::uint64_t hash_of_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  struct stat status{};
  std::uint64_t hash = 0;
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* contents = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (contents != MAP_FAILED) {
      hash = XXH3_64bits(contents, size);
      munmap(contents, size);
    }
  }
  close(file);
  return hash;
}

StartInfo own_start() {
  StartInfo start;
  char path[PATH_MAX];
  if (const ssize_t length = readlink("/proc/self/exe", path, sizeof path); length > 0)
    start.program.assign(path, static_cast<std::size_t>(length));
  start.name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  start.arguments = texts_of("/proc/self/cmdline");
  start.environment = texts_of("/proc/self/environ");
  if (getcwd(path, sizeof path) != nullptr) start.folder = path;
  start.program_hash = hash_of_file(start.program);
  return start;
}

bool is_of_launcher(const std::string& variable) {
  for (const char* kept :
       {"OMPI_MCA_orte", "OMPI_MCA_ess", "OMPI_MCA_pmix", "OMPI_MCA_plm", "OMPI_MCA_shmem_RUNTIME"})
    if (variable.starts_with(kept)) return true;
  if (variable.starts_with("OMPI_MCA_")) return false;
  for (const char* prefix : {"OMPI_", "PMIX_", "PMI_", "PMI2_", "HYDI_", "HYDRA_", "MPI_LOCAL",
                             "MPIR_CVAR_CH3", "GFORTRAN_UNBUFFERED", "PHOTOFINISH_", "LD_PRELOAD="})
    if (variable.starts_with(prefix)) return true;
  return false;
}

Result<StartInfo> read_start(const std::string& directory, WorldRank rank) {
  auto trace = RankTrace::open(directory, rank);
  if (!trace) return trace.error();
  Journal journal([&](std::vector<std::uint8_t>& entries) {
    return (*trace)->next_of_journal(TaskId(0), entries);
  });
  StartInfo start;
  if (journal.ask(kStartQuestion, SiteId(0)) != Journal::Asked::Same)
    return Error{trace_path(directory, rank) +
                 ((*trace)->damage().empty()
                      ? ": this rank was not recorded for a replay; use photofinish record"
                      : ": " + (*trace)->damage())};
  journal(start);
  if (!journal.ok())
    return Error{trace_path(directory, rank) + ": the journal of this rank is damaged"};
  return start;
}

}  // namespace photofinish
