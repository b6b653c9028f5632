#pragma once

namespace photofinish::openmp {

// Whether the order of OpenMP's threads, if the program has any, is known.
bool is_followed();

}  // namespace photofinish::openmp
