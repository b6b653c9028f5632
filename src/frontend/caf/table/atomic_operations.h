// The operations of _gfortran_caf_atomic_op: Field::value of its events.
#pragma once

namespace photofinish::caf {

enum AtomicOperation { kAtomicAdd = 1, kAtomicAnd, kAtomicOr, kAtomicXor };

}  // namespace photofinish::caf
