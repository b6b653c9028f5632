// Makes strings of the program (names, file names, output) safe for a terminal.
//
// Rule: control characters, characters that reorder text, and invalid UTF-8 bytes become \xNN (\n,
// \t and \r by name). All other characters, in any script, are unchanged. So a name can neither
// change the terminal nor start a new line in a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace photofinish {

namespace printable_detail {

// The length in bytes of the first character, and its code point; 0 if it is not valid UTF-8.
inline std::size_t character(std::string_view text, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80           ? 1
                           : (first >> 5) == 0x6  ? 2
                           : (first >> 4) == 0xe  ? 3
                           : (first >> 3) == 0x1e ? 4
                                                  : 0;
  if (size == 0 || size > text.size()) return 0;
  code = size == 1 ? first : first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  return size;
}

inline bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

}  // namespace printable_detail

inline std::string printable(std::string_view text, bool keeps_tabs = false) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::uint32_t code = 0;
    const std::size_t size = printable_detail::character(text, code);
    const std::size_t taken = size == 0 ? 1 : size;
    if (size != 0 && (!printable_detail::is_control(code) || (keeps_tabs && code == '\t'))) {
      out.append(text.substr(0, size));
    } else if (size == 1 && (code == '\n' || code == '\t' || code == '\r')) {
      out += code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r";
    } else {
      for (std::size_t i = 0; i < taken; ++i) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[i]));
        out += escaped;
      }
    }
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace photofinish
