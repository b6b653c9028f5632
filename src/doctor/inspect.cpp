#include <sched.h>
#include <sys/ptrace.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "doctor/detect.h"
#include "doctor/machine.h"
#include "launch/elf.h"
#include "launch/mpi_program.h"
#include "options/options.h"

namespace photofinish {
namespace {

namespace fs = std::filesystem;

std::optional<int> number_in(const char* path) {
  std::ifstream file(path);
  int value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

// The CPU quota of the container (cgroup 2, then 1): "max 100000", or microseconds of a period.
double quota_of_container() {
  std::ifstream two("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (two >> quota >> period)
    return quota == "max" || period <= 0 ? 0 : std::atof(quota.c_str()) / period;
  const auto most = number_in("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
             of = number_in("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  return most && of && *most > 0 && *of > 0 ? static_cast<double>(*most) / *of : 0;
}

int usable_processors() {
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

// File systems shared by several machines, by their magic number in statfs(2).
std::string name_of_file_system(const std::string& directory) {
  struct statfs info;
  if (statfs(directory.c_str(), &info) != 0) return "";
  switch (static_cast<unsigned long>(info.f_type) & 0xffffffffUL) {
    case 0x6969:
      return "nfs";
    case 0x0bd00bd0:
      return "lustre";
    case 0x47504653:
      return "gpfs";
    case 0x19830326:
      return "beegfs";
    case 0xff534d42:
    case 0xfe534d42:
      return "smb";
    default:
      return "";
  }
}

std::optional<std::uint64_t> room_in(const std::string& directory) {
  struct statvfs info;
  if (statvfs(directory.c_str(), &info) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

// Tested in a child, so that this process is not traced.
bool may_be_traced() {
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

std::map<std::string, std::string> variables_that_matter() {
  std::map<std::string, std::string> found;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string text = *one;
    const std::string name = text.substr(0, text.find('='));
    for (const char* prefix :
         {"LD_PRELOAD", "LD_AUDIT", "OMPI_", "MPICH_", "UCX_MEM_EVENTS", "PHOTOFINISH_"})
      if (name.starts_with(prefix))
        found[name] = text.substr(std::min(text.size(), name.size() + 1));
  }
  return found;
}

PreloadFacts check_at_preload(const std::string& path) {
  static constexpr std::string_view kNames[] = {"MPI_Init", "MPI_Send", "malloc"};
  PreloadFacts facts{.path = path};
  facts.found = access(path.c_str(), R_OK) == 0;
  facts.ours = fs::path(path).filename().string().starts_with("libphotofinish-");
  if (const auto uses = find_symbols(path, kNames)) {
    facts.wraps_mpi = (*uses)[0].defined || (*uses)[1].defined;
    facts.wraps_malloc = (*uses)[2].defined;
  }
  return facts;
}

std::vector<PreloadFacts> check_at_preloads(const std::string& variable) {
  std::vector<PreloadFacts> facts;
  std::string word;
  for (const char c : variable + ":") {
    if (c != ':' && c != ' ') {
      word += c;
    } else if (!word.empty()) {
      facts.push_back(check_at_preload(word));
      word.clear();
    }
  }
  return facts;
}

}  // namespace

Machine inspect_machine(const std::string& executable, const std::string& version,
                        const std::function<void()>& before_starting) {
  Machine machine{.version = version, .executable = executable};
  const std::string ours = fs::path(executable).parent_path().parent_path() / "lib/photofinish";
  machine.environment = variables_that_matter();
  if (const auto preload = machine.environment.find("LD_PRELOAD");
      preload != machine.environment.end())
    machine.preloads = check_at_preloads(preload->second);
  before_starting();
  for (const MpiFlavour flavour : {MpiFlavour::OpenMpi, MpiFlavour::Mpich})
    machine.mpis.push_back(check_for_mpi(flavour, ours));
  machine.clangs = check_for_clangs(ours);
  if (const char* text = std::getenv("PHOTOFINISH_OPTIONS"); text != nullptr)
    if (const auto options = parse_options(text); !options)
      machine.options_trouble = options.error().message;

  machine.root = geteuid() == 0;
  machine.cores = usable_processors();
  const char* const yields = std::getenv("OMPI_MCA_mpi_yield_when_idle");
  machine.yields = yields != nullptr && *yields == '1';
  machine.quota = quota_of_container();
  std::error_code failed;
  machine.directory = fs::current_path(failed).string();
  machine.writable = access(machine.directory.c_str(), W_OK) == 0;
  machine.free_bytes = room_in(machine.directory).value_or(0);
  machine.file_system = name_of_file_system(machine.directory);
  machine.shared_bytes = room_in("/dev/shm");
  machine.ptrace_scope = number_in("/proc/sys/kernel/yama/ptrace_scope");
  machine.can_trace = may_be_traced();
  machine.has_gdb = static_cast<bool>(find_program("gdb"));
  machine.randomised = number_in("/proc/sys/kernel/randomize_va_space");
  return machine;
}

}  // namespace photofinish
