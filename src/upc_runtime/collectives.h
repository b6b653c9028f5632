// Synchronization of collectives, by their mode (upc_types.h).
#pragma once

namespace photofinish::upc {

constexpr int kInNoSync = 1 << 2;
constexpr int kOutNoSync = 1 << 5;

void enter_collective(int mode);
// Completes this thread's transfers in any case.
void leave_collective(int mode);

}  // namespace photofinish::upc
