#pragma once

namespace photofinish::mpi {

// From here on the order of the program's threads goes on record (runtime/tasks.h).
void follow_tasks();

}  // namespace photofinish::mpi
