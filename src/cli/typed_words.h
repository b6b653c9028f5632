// What users type: other spellings that are accepted, and what to say about words that are not.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "options/options.h"

namespace photofinish {

// Accepts several ways to ask for help.
std::vector<std::string> words_of(int argc, char** argv);
// Accepts mpirun's -np for -n. Only in front of the program: its arguments are its own.
void take_np(std::vector<std::string>& words, CLI::App& command, bool has_program);
// Accepts options after the run: "explore RUN --outcome 2". Only a program's arguments are its own.
// Returns whether there is a run.
bool take_run_last(std::vector<std::string>& words);
// Accepts 1 and f1 for F1.
void name_finding(std::string& finding);
// "--gdb needs a value: --gdb RANK", from CLI11's "--gdb: 1 required RANK:INT in [0 - 9] missing".
std::string missing_value(const std::string& error, const CLI::App& command);
// Prints that; returns the exit code.
int one_too_many(const std::string& word, const CLI::App& command);
// Options after the program are its own, even if they were meant for this tool: says so.
void note_passed_options(const CLI::App& command, const Options& options);

}  // namespace photofinish
