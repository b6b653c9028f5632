// Between the tool and the library that writes OTF2 archives, which is there only where OTF2 is:
// plain C, so that neither needs the other's symbols.
#pragma once

#include <cstddef>
#include <cstdint>

namespace photofinish {

// Something to be pointed out at one event of a rank.
struct Otf2Mark {
  std::int32_t rank;
  std::uint64_t event;     // its number among those of the rank
  std::uint32_t category;  // in `categories`
  const char* text;
};

struct Otf2Request {
  const char* run;     // directory with the traces
  const char* folder;  // made by the writer, and must not be there
  const char* creator;
  const char* const* categories;
  std::size_t category_count;
  const Otf2Mark* marks;  // sorted by rank, and then by event
  std::size_t mark_count;
  char trouble[512];  // why it failed, for people
};

inline constexpr const char* kOtf2Plugin = "photofinish-otf2.so";
inline constexpr const char* kOtf2Entry =
    "photofinish_write_otf2_1";  // the number changes with what is above
using Otf2Entry = bool(Otf2Request*);

}  // namespace photofinish
