// A run directory that the ranks of several nodes share, or should.
#pragma once

#include <string>
#include <string_view>

namespace photofinish {

// holds_token, for a rank that may be on another node than the one that made the directory. A
// network file system shows new files late, so there it looks again until `seconds` have passed.
bool sees_token(const std::string& directory, const std::string& token, int seconds);
// Whether what others make there may be seen late. Local file systems show it at once.
bool is_on_network(const std::string& path);

// A file in the directory which says that the ranks have said why they record nothing.
inline constexpr std::string_view kUnrecordedFile = "unrecorded";
void note_unrecorded(const std::string& directory);
bool is_noted_unrecorded(const std::string& directory);

}  // namespace photofinish
