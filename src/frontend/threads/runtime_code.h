#pragma once

namespace photofinish {

// Whether the code at this address belongs to a runtime (MPI's, OpenMP's, the tool's): what
// runtimes lock, create and ask for is not the program's.
bool is_runtime(const void* code);

}  // namespace photofinish
