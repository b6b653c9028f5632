// The accesses of events: sections of coarrays, and of the image's own memory.
#pragma once

#include "frontend/caf/interception.h"
#include "frontend/caf/sections.h"

namespace photofinish::caf {

// At an image of the current team: fields win and target, and a buffer for each piece. False: the
// coarray is not known.
bool add_section(Context& c, BufferUse use, const void* token, std::size_t offset, int image,
                 const std::vector<Piece>& pieces);
// The image's own memory.
void add_array(Context& c, BufferUse use, const Descriptor& array);
void add_pieces(Context& c, BufferUse use, std::uint64_t begin, const std::vector<Piece>& pieces);

}  // namespace photofinish::caf
