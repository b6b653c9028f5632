// The parts of a machine that have to be asked: launchers and compilers. `ours` is the folder of
// our libraries.
#pragma once

#include "doctor/machine.h"

namespace photofinish {

MpiFacts check_for_mpi(MpiFlavour flavour, const std::string& ours);
// One for each LLVM version that there is a pass for, the newest first.
std::vector<ClangFacts> check_for_clangs(const std::string& ours);

// The first number with dots in what a program says of its version: "4.1.4".
std::string version_in(const std::string& text);

}  // namespace photofinish
