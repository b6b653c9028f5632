// A run directory shared by the ranks of several nodes.
#pragma once

#include <string>
#include <string_view>

namespace photofinish {

// holds_token for a rank that may be on another node than the creator of the directory. A network
// file system shows new files late, so there it retries for `seconds`.
bool sees_token(const std::string& directory, const std::string& token, int seconds);
// Whether files of other nodes may be seen late. Local file systems show them at once.
bool is_on_network(const std::string& path);

// A file in the directory: the ranks have printed why they do not record.
inline constexpr std::string_view kUnrecordedFile = "unrecorded";
void note_unrecorded(const std::string& directory);
bool is_noted_unrecorded(const std::string& directory);

}  // namespace photofinish
