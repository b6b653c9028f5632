// Which OpenMP runtime serves a program whose threads are to be followed.
//
// Rule: GCC's libgomp tells nobody what its threads do; LLVM's libomp does, and serves the same
// entry points. If a program or one of its libraries needs libgomp, libomp is loaded in front of
// it, provided that it defines every function of libgomp that they import. Cannot see: libraries
// that are loaded with dlopen, and programs with a static libgomp.
#pragma once

#include <string>

namespace photofinish {

struct OpenMpRuntime {
  bool is_used = false;  // there is one, LLVM's or GCC's
  std::string preload;   // libomp, in place of libgomp; empty: the program keeps its own
  std::string problem;   // why it cannot be replaced; empty: it can, or need not be
};

OpenMpRuntime choose_openmp_runtime(const std::string& program);

}  // namespace photofinish
