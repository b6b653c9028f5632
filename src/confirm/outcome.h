// The outcome of a run of the program, and whether two outcomes are equal.
//
// Rule: lines are compared without their order, which is chance where several ranks print, and as
// texts with numbers in them, which may differ by a tolerance.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace photofinish {

struct Outcome {
  int code = 0;       // of the launcher
  bool ended = true;  // false: it hung, and was stopped
  std::string how;    // "exit code 0", "ended by signal 11 on rank 1", "no end after 60 s"
  std::vector<std::string> lines;  // that all ranks printed, on both streams
  struct File {
    std::string name;
    bool there = false;
    std::vector<std::string> lines;
  };
  std::vector<File> files;
};

std::vector<std::string> lines_of(const std::string& text);

// Without the lines that MPICH's launcher prints on standard output if a rank fails.
std::vector<std::string> without_launcher(std::vector<std::string> lines);
// A message of UCX, which MPI libraries use: "[1795117702.547696] [host:29066:0] tag_match.c:62 UCX
// WARN …". Its time and process differ in each run.
bool is_of_ucx(const std::string& line);

// Lines that are only in one of two outcomes.
struct Difference {
  std::vector<std::string> only_one, only_other;
  bool empty() const { return only_one.empty() && only_other.empty(); }
};
// `tolerance` is relative, of numbers in lines that are the same otherwise.
Difference compare(const Outcome& one, const Outcome& other, double tolerance);
// By its exit code: messages about ranks depend on which was faster.
std::string ending(const Outcome& outcome);
// Whether there is more to compare than the exit code.
bool has_output(const Outcome& outcome);
inline bool failed(const Outcome& outcome) { return !outcome.ended || outcome.code != 0; }
// What was printed and written, by the text of the lines without their numbers.
std::map<std::string, std::vector<std::string>> grouped_lines(const Outcome& outcome);
std::string group_of(const std::string& line);
bool same_lines(const std::vector<std::string>& one, const std::vector<std::string>& other,
                double tolerance);

// As "- …" and "+ …", no more than so many of each.
std::vector<std::string> as_lines(const Difference& difference, std::size_t most);

}  // namespace photofinish
