// A source line as one number. The compiler pass writes the lines of access sites into a program,
// and the tool compares them with those of a finding.
#pragma once

#include <cstdint>
#include <string_view>

namespace photofinish {

// Zero if the line is unknown. Directories do not count: their names may differ between the build
// machine and the machine of the analysis.
constexpr std::uint32_t line_key(std::string_view file, std::uint32_t line) {
  if (file.empty() || line == 0) return 0;
  std::uint32_t key = 2166136261u;  // FNV-1a
  const auto add = [&key](unsigned char byte) { key = (key ^ byte) * 16777619u; };
  for (const char letter : file.substr(file.rfind('/') + 1))
    add(static_cast<unsigned char>(letter));
  for (int shift = 0; shift < 32; shift += 8) add(static_cast<unsigned char>(line >> shift));
  return key != 0 ? key : 1;
}

}  // namespace photofinish
