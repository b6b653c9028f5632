// A run that was ended from outside while its ranks were alive: by Ctrl-C, or because of a
// deadlock. Each rank then waited in the call that it was inside of, however it ended.
#pragma once

#include <string>
#include <string_view>

namespace photofinish {

inline constexpr std::string_view kInterruptedFile = "interrupted";  // empty, in the run directory

void note_interruption(const std::string& directory);
bool was_interrupted(const std::string& directory);

}  // namespace photofinish
