// What an MPI datatype is made of: the bytes it touches, and what to call it.
#pragma once

#include <string>

#include "frontend/mpi/real.h"
#include "model/data_map.h"

namespace photofinish::mpi {

struct TypeDescription {
  DataMap map;
  std::string name;     // the predefined name or what MPI_Type_set_name said; may be empty
  std::string element;  // the one predefined type that all data consists of, as "MPI_DOUBLE"; empty if mixed or no data
};

// `type` is any live handle, committed or not. MPI_DATATYPE_NULL gives an empty description. Costs a few calls of the
// library for each level of nesting: for the first use of a type, not for each.
TypeDescription describe_type(MPI_Datatype type);

}  // namespace photofinish::mpi
