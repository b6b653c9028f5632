// What a run of the program came to, and whether two of them came to the same.
//
// Rule: lines are compared without their order, which is chance where several ranks print, and as
// texts with numbers in them, which may differ by a tolerance. A difference counts if it is there
// between the two orders each time, so that what differs from run to run anyway (times, process
// ids, sums in another order) is not taken for the race's doing.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

struct Outcome {
  int code = 0;       // of the launcher
  bool ended = true;  // false: it was stopped after the time that it was given
  std::string how;    // "exit code 0", "ended by signal 11 on rank 1", "no end after 60 s"
  std::vector<std::string> lines;  // that all ranks printed
  struct File {
    std::string name;
    bool there = false;
    std::vector<std::string> lines;
  };
  std::vector<File> files;
};

std::vector<std::string> lines_of(const std::string& text);

// MPICH's launcher tells on standard output, too, that a rank did not end well; that is not the
// program's.
std::vector<std::string> without_launcher(std::vector<std::string> lines);

// What is in one and not in the other.
struct Difference {
  std::vector<std::string> only_one, only_other;
  bool empty() const { return only_one.empty() && only_other.empty(); }
};
// `tolerance` is relative, of numbers in lines that are the same otherwise.
Difference compare(const Outcome& one, const Outcome& other, double tolerance);
// What is in both differences.
Difference in_both(const Difference& a, const Difference& b, double tolerance);

// As "- …" and "+ …", no more than so many of each.
std::vector<std::string> as_lines(const Difference& difference, std::size_t most);

}  // namespace photofinish
