// Annotations of the program (photofinish/annotate.h).
#pragma once

namespace photofinish::mpi {

// From here on annotations are recorded as events. Call it again after shared libraries are loaded.
void acquire_annotations();

}  // namespace photofinish::mpi
