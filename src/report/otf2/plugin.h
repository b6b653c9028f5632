// The interface between the tool and the plugin that writes OTF2 archives, which exists only where
// OTF2 is installed. It is plain C, so that neither needs symbols of the other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace photofinish {

// A marker at one event of a rank.
struct Otf2Mark {
  std::int32_t rank;
  std::uint64_t event;     // its index among the events of the rank
  std::uint32_t category;  // index into `categories`
  const char* text;
};

struct Otf2Request {
  const char* run;     // directory with the traces
  const char* folder;  // created by the writer; must not exist
  const char* creator;
  const char* const* categories;
  std::size_t category_count;
  const Otf2Mark* marks;  // sorted by rank, then by event
  std::size_t mark_count;
  char trouble[512];  // why it failed, for people
};

inline constexpr const char* kOtf2Plugin = "photofinish-otf2.so";
inline constexpr const char* kOtf2Entry =
    "photofinish_write_otf2_1";  // the version changes with the structs above
using Otf2Entry = bool(Otf2Request*);

}  // namespace photofinish
