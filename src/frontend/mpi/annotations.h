// What a program tells with photofinish/annotate.h.
#pragma once

namespace photofinish::mpi {

// From here on what it says becomes events. Also for objects that were loaded since the last time.
void acquire_annotations();

}  // namespace photofinish::mpi
