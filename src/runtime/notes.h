// The ELF notes of runtime_abi.h in the executable and all shared libraries of the process.
#pragma once

#include <cstdint>
#include <vector>

namespace photofinish {

// The targets of all notes of one type, without duplicates.
std::vector<void*> noted(std::uint32_t type);

}  // namespace photofinish
