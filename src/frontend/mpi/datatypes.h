// Describes an MPI datatype: its data map, its name, and its element type.
#pragma once

#include <string>

#include "frontend/mpi/real.h"
#include "model/data_map.h"

namespace photofinish::mpi {

struct TypeDescription {
  DataMap map;
  std::string name;  // predefined, or set with MPI_Type_set_name; may be empty
  // The predefined type that all data consists of, such as "MPI_DOUBLE"; empty if the data is
  // mixed, or there is none.
  std::string element;
};

// `type` is any valid handle, committed or not; for MPI_DATATYPE_NULL the description is empty.
// Makes several library calls for each level of nesting: call it for the first use of a type only.
TypeDescription describe_type(MPI_Datatype type);

// Duplicates the type: the new handle remains valid after the program has freed its own. Returns a
// predefined type itself: it cannot be freed, and some calls accept only predefined types.
MPI_Datatype keep_type(MPI_Datatype type);
void release_type(MPI_Datatype kept);

}  // namespace photofinish::mpi
