// The entry point of the plugin.
#include "group/z3_solver.h"

extern "C" __attribute__((visibility("default"))) void photofinish_solve_1(
    const photofinish::group::Problem* problem, double seconds,
    photofinish::group::Answer* answer) {
  *answer = photofinish::group::solve_with_z3(*problem, seconds);
}
