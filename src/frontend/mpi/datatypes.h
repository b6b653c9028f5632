// What an MPI datatype is made of: the bytes it touches, and what to call it.
#pragma once

#include <string>

#include "frontend/mpi/real.h"
#include "model/data_map.h"

namespace photofinish::mpi {

struct TypeDescription {
  DataMap map;
  std::string name;     // the predefined name or what MPI_Type_set_name said; may be empty
  std::string element;  // the one predefined type that all data consists of, as "MPI_DOUBLE"; empty
                        // if mixed or no data
};

// `type` is any live handle, committed or not. MPI_DATATYPE_NULL gives an empty description. Costs
// a few calls of the library for each level of nesting: for the first use of a type, not for each.
TypeDescription describe_type(MPI_Datatype type);

// The same type under a handle of its own, which is there when the program has freed its.
// Predefined ones, which nobody frees, stay as they are: some calls take no others.
MPI_Datatype keep_type(MPI_Datatype type);
void release_type(MPI_Datatype kept);

}  // namespace photofinish::mpi
