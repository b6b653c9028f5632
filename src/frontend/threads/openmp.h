#pragma once

namespace photofinish::openmp {

// Whether the order of OpenMP's threads, if the program has any, is known.
bool is_followed();

// The calling thread enters a section, or leaves it: each is a line of order of its own.
void begin_section();
void end_section();

}  // namespace photofinish::openmp
