#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "model/task_key.h"

namespace photofinish::mpi {

// Orders the thread that completes a generalized request before those that wait for it.
inline std::uint64_t general_request_key(MPI_Request request) {
  std::uint64_t handle = 0;  // a pointer or a number
  std::memcpy(&handle, &request, sizeof request);
  return task_key(TaskKey::GeneralRequest, nullptr) ^ handle;
}

// Records synchronization between threads from now on (runtime/tasks.h).
void follow_tasks();

}  // namespace photofinish::mpi
