#pragma once

namespace photofinish::mpi {

// Records synchronization between threads from now on (runtime/tasks.h).
void follow_tasks();

}  // namespace photofinish::mpi
