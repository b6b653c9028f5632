#include "frontend/front_ends.h"

#include "frontend/mpi/meaning/meaning.h"

namespace photofinish {

std::unique_ptr<Meaning> meaning_of(Timeline& effects) { return mpi_meaning_of(effects); }

}  // namespace photofinish
