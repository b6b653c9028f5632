// The notes of runtime_abi.h, in the executable and in all shared libraries of the process.
#pragma once

#include <cstdint>
#include <vector>

namespace photofinish {

// What those of one type point to, each once, whatever the number of notes.
std::vector<void*> noted(std::uint32_t type);

}  // namespace photofinish
