// Judges the facts about a machine or a program, and gives advice. Pure functions: facts in, lines
// out.
//
// Rule: a problem keeps a command of the manual from working as documented. Something that only
// costs time, or is missing and may never be needed, is a note. So `doctor` exits with 1 only if
// the user has something to do.
#pragma once

#include <string>
#include <vector>

#include "doctor/machine.h"
#include "doctor/program.h"

namespace photofinish {

enum class Level { Ok, Note, Problem };

struct Judgement {
  Level level{};
  std::string what;
  std::string advice;  // what to do; empty: nothing
};

struct Section {
  std::string title;
  std::vector<Judgement> judgements;
};

std::vector<Section> judge(const Machine& machine);
Section judge(const ProgramFacts& program);

// The parts of the judgement, for judge.cpp.
Section judge_mpi(const Machine& machine);
Section judge_compilers(const Machine& machine);
Section judge_environment(const Machine& machine);
Section judge_system(const Machine& machine);

}  // namespace photofinish
