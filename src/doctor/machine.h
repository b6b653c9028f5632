// Facts about a machine that matter to the tool. judge.h judges them, so that a unit test can
// construct any machine.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/mpi_program.h"

namespace photofinish {

struct MpiFacts {
  MpiFlavour flavour{};
  std::string launcher;       // the command; empty: none found
  std::string version;        // "4.1.4"; empty: unknown
  std::string compiler;       // its mpicc; empty: none found
  bool has_library = false;   // the preload library for it
  bool has_analysis = false;  // the program for photofinish analyze -n
  // Whether MPI_Compare_and_swap works: it crashes in some versions.
  enum class Swap { Unknown, Works, Crashes } swap = Swap::Unknown;
  std::string trouble;  // the launcher's error when it failed to start a process; empty: it started
                        // one
};

struct ClangFacts {
  int version = 0;                    // of LLVM; the pass exists for it
  std::string clang, clangxx, flang;  // empty: none found
  std::string trouble;                // clang's error when it failed to load the pass; empty: it
                                      // loaded
  bool has_modules = false;           // Fortran modules for pfmpifort
};

// A library that the user, or a site module, preloads into every program.
struct PreloadFacts {
  std::string path;
  bool found = false;
  bool ours = false;
  bool wraps_mpi = false;  // another tool that intercepts MPI
  bool wraps_malloc = false;
};

struct Machine {
  std::string version, executable;
  std::vector<MpiFacts> mpis;
  std::vector<ClangFacts> clangs;
  std::vector<PreloadFacts> preloads;
  std::map<std::string, std::string> environment;  // variables of the loader, of MPI, and of the
                                                   // tool
  std::string options_trouble;                     // the error in PHOTOFINISH_OPTIONS
  bool root = false;
  int cores = 1;
  double quota = 0;       // cores that a container may use; 0: all
  bool yields = false;    // OMPI_MCA_mpi_yield_when_idle is set
  std::string directory;  // where a run would be written
  bool writable = true;
  std::uint64_t free_bytes = 0;
  std::string file_system;                    // "nfs", "lustre", …; empty: a local one
  std::optional<std::uint64_t> shared_bytes;  // free space in /dev/shm; nothing: it does not exist
  std::optional<int> ptrace_scope;            // of Yama; nothing: not present
  bool can_trace = true;                      // processes may be traced, as gdb requires
  bool has_gdb = true;
  std::optional<int> randomised;  // address space layout randomization
};

// Collects the facts; runs each launcher and compiler once. `executable`: the path of the tool.
// `before_starting`: sets the environment for launchers, after the environment was read.
Machine inspect_machine(const std::string& executable, const std::string& version,
                        const std::function<void()>& before_starting);

}  // namespace photofinish
