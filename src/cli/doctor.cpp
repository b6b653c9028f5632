// photofinish doctor: checks the machine, or one program, and gives advice.
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "cli/commands.h"
#include "cli/preload.h"
#include "cli/start.h"
#include "doctor/judge.h"

namespace photofinish {
namespace {

const char* word_for(Level level) {
  return level == Level::Ok ? "ok" : level == Level::Note ? "note" : "problem";
}

void print(const Section& section) {
  fmt::print("{}\n", printable(section.title));
  for (const Judgement& one : section.judgements) {
    fmt::print("  {:<8} {}\n", word_for(one.level), printable(one.what));
    if (!one.advice.empty()) fmt::print("  {:<8} → {}\n", "", printable(one.advice));
  }
}

std::ptrdiff_t count(const std::vector<Section>& sections, Level level) {
  std::ptrdiff_t found = 0;
  for (const Section& section : sections)
    found += std::count_if(section.judgements.begin(), section.judgements.end(),
                           [&](const Judgement& one) { return one.level == level; });
  return found;
}

}  // namespace

int run_doctor(const DoctorArguments& arguments) {
  std::vector<Section> sections;
  if (arguments.program.empty()) {
    const Machine machine = inspect_machine(own_path(), PHOTOFINISH_VERSION, allow_root);
    fmt::print("photofinish {} in {}\n", machine.version, machine.executable);
    sections = judge(machine);
  } else {
    sections.push_back(judge(inspect_program(arguments.program, own_path())));
  }
  for (const Section& section : sections) print(section);
  const auto problems = count(sections, Level::Problem), notes = count(sections, Level::Note);
  const std::string also =
      notes == 0 ? "" : fmt::format(", {} note{}", notes, notes == 1 ? "" : "s");
  if (problems == 0)
    fmt::print("SUMMARY: photofinish: no problems{}\n", also);
  else
    fmt::print("SUMMARY: photofinish: {} problem{}{}\n", problems, problems == 1 ? "" : "s", also);
  return problems == 0 ? kExitOk : kExitProblems;
}

}  // namespace photofinish
