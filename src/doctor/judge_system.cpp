// Judges the machine: processors, free space, and kernel settings.
#include <fmt/format.h>

#include <cmath>

#include "doctor/judge.h"

namespace photofinish {
namespace {

constexpr std::uint64_t kLittleRoom = 100'000'000, kSomeRoom = 2'000'000'000;
constexpr std::uint64_t kLittleShared = 128 << 20;  // containers have 64 MiB by default

std::string size_text(std::uint64_t bytes) {
  return bytes >= 1'000'000'000 ? fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9)
                                : fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
}

Judgement judge_room(const Machine& machine) {
  if (!machine.writable)
    return {Level::Problem, machine.directory + " is not writable, and run directories go there",
            "change to another folder, or: photofinish check -o DIR"};
  const std::string room =
      fmt::format("{} free for runs in {}", size_text(machine.free_bytes), machine.directory);
  if (machine.free_bytes < kLittleRoom)
    return {Level::Problem, room, "make room, or: photofinish check -o DIR"};
  if (machine.free_bytes < kSomeRoom)
    return {Level::Note, room + ": enough for short runs",
            "for long ones: photofinish check -o DIR"};
  if (!machine.file_system.empty())
    return {Level::Note, fmt::format("{}, on {}", room, machine.file_system),
            "if recording is slow, and all ranks are on one node: -o with a local folder"};
  return {Level::Ok, room, ""};
}

Judgement judge_processors(const Machine& machine) {
  const std::string cores =
      fmt::format("{} processor{}", machine.cores, machine.cores == 1 ? "" : "s");
  if (machine.quota > 0 && machine.quota < machine.cores - 0.01)
    return {
        Level::Note,
        fmt::format("{}, of which this container gets {:.3g}: ranks that wait spin, and use it up",
                    cores, machine.quota),
        fmt::format("start no more than {} ranks, or: export OMPI_MCA_mpi_yield_when_idle=1",
                    std::max(1, static_cast<int>(std::floor(machine.quota))))};
  return {
      Level::Ok,
      fmt::format("{}{}", cores,
                  machine.yields ? ""
                                 : ": with more ranks, those that wait spin. With Open MPI, set "
                                   "OMPI_MCA_mpi_yield_when_idle=1"),
      ""};
}

Judgement judge_shared(const Machine& machine) {
  if (!machine.shared_bytes)
    return {Level::Note, "there is no /dev/shm: MPI uses another transport within a node", ""};
  const std::string room = fmt::format("{} free in /dev/shm, the transport within a node",
                                       size_text(*machine.shared_bytes));
  if (*machine.shared_bytes < kLittleShared)
    return {Level::Problem, room + ": ranks die of SIGBUS when it is full",
            "docker run --shm-size=1g, or empty it"};
  return {Level::Ok, room, ""};
}

Judgement judge_tracing(const Machine& machine) {
  if (!machine.has_gdb)
    return {Level::Note, "gdb is not in PATH; photofinish replay --gdb needs it",
            "install gdb; everything else works without it"};
  if (!machine.can_trace)
    return {Level::Note, "seccomp forbids tracing processes, so gdb does not work",
            "docker run --cap-add=SYS_PTRACE; photofinish itself does not need it"};
  if (machine.ptrace_scope.value_or(0) >= 2)
    return {Level::Note,
            fmt::format("kernel.yama.ptrace_scope is {}: gdb cannot attach to ranks",
                        *machine.ptrace_scope),
            "sysctl kernel.yama.ptrace_scope=1; photofinish itself does not need it"};
  return {
      Level::Ok,
      machine.ptrace_scope.value_or(0) == 1
          ? "gdb can start programs, but not attach to running ones (kernel.yama.ptrace_scope is 1)"
          : "gdb can start programs and attach to them",
      ""};
}

}  // namespace

Section judge_system(const Machine& machine) {
  Section section{"System",
                  {judge_processors(machine), judge_room(machine), judge_shared(machine),
                   judge_tracing(machine)}};
  // Code addresses are stored as module and offset, so that this setting does not matter. Reported
  // because users check it.
  if (machine.randomised)
    section.judgements.push_back(
        {Level::Ok,
         fmt::format("address randomization is {}on, which photofinish handles",
                     *machine.randomised == 0 ? "not " : ""),
         ""});
  return section;
}

}  // namespace photofinish
