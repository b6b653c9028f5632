// Sorting spans by where they begin, in time linear in their number: programs walk through memory,
// so many batches are in order, forwards or backwards, before they are sorted.
#pragma once

#include <vector>

#include "memory/sweep.h"

namespace photofinish {

// `scratch` is memory to be used again; its contents mean nothing before and after.
void sort_by_begin(std::vector<Span>& spans, std::vector<Span>& scratch);

}  // namespace photofinish
