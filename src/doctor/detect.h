// Detects launchers and compilers by running them. `ours`: the folder of the tool's libraries.
#pragma once

#include "doctor/machine.h"

namespace photofinish {

MpiFacts check_for_mpi(MpiFlavour flavour, const std::string& ours);
// One for each LLVM version that the pass was built for, newest first.
std::vector<ClangFacts> check_for_clangs(const std::string& ours);

// The first dotted number in the version output of a program: "4.1.4".
std::string version_in(const std::string& text);

}  // namespace photofinish
