// What the facts about a machine, or a program, mean, and what to do about them. Pure: facts in,
// lines out.
//
// Rule: a problem is what keeps a command of the manual from doing what it says, or makes it do
// something else. What only costs time, or is missing and may never be wanted, is a note. So
// `doctor` ends with 1 only where somebody has something to do.
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

// The parts of it, for judge.cpp.
Section judge_mpi(const Machine& machine);
Section judge_compilers(const Machine& machine);
Section judge_environment(const Machine& machine);
Section judge_system(const Machine& machine);

}  // namespace photofinish
