// What a machine is like, as far as it matters to the tool: facts only. judge.h says what they
// mean; so a unit test can make up any machine.
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
  std::string launcher;       // as it would be called; empty: none was found
  std::string version;        // "4.1.4"; empty: it does not say
  std::string compiler;       // its mpicc; empty: none was found
  bool has_library = false;   // our preload library for it
  bool has_analysis = false;  // our program for photofinish analyze -n
  // What MPI_Compare_and_swap does, where it is known to crash in some versions.
  enum class Swap { Unknown, Works, Crashes } swap = Swap::Unknown;
  std::string trouble;  // what the launcher said instead of starting a process; empty: it did
};

struct ClangFacts {
  int version = 0;                    // LLVM's; there is a pass for it, or it would not be here
  std::string clang, clangxx, flang;  // empty: none was found
  std::string trouble;                // what clang said when it was to load the pass; empty: it did
  bool has_modules = false;           // Fortran modules for pfmpifort
};

// A library that the user, or a module of the site, puts into every program.
struct PreloadFacts {
  std::string path;
  bool found = false;
  bool ours = false;
  bool wraps_mpi = false;  // another tool between the program and MPI
  bool wraps_malloc = false;
};

struct Machine {
  std::string version, executable;
  std::vector<MpiFacts> mpis;
  std::vector<ClangFacts> clangs;
  std::vector<PreloadFacts> preloads;
  std::map<std::string, std::string> environment;  // variables of the loader, of MPI, and our own
  std::string options_trouble;                     // what is wrong with PHOTOFINISH_OPTIONS
  bool root = false;
  int cores = 1;
  double quota = 0;       // cores that a container may really use; 0: all of them
  std::string directory;  // where a run would be written
  bool writable = true;
  std::uint64_t free_bytes = 0;
  std::string file_system;                    // "nfs", "lustre", …; empty: a local one
  std::optional<std::uint64_t> shared_bytes;  // room in /dev/shm; nothing: there is none
  std::optional<int> ptrace_scope;            // of Linux' Yama; nothing: not there
  bool can_trace = true;                      // a process may ask to be traced, as gdb wants
  bool has_gdb = true;
  std::optional<int> randomised;  // address space layout
};

// Looks around, asks launchers and compilers who they are, and lets each start once. `executable`
// is our own path; `before_starting` sets what is always set for launchers, after the environment
// was looked at.
Machine check_at_machine(const std::string& executable, const std::string& version,
                         const std::function<void()>& before_starting);

}  // namespace photofinish
