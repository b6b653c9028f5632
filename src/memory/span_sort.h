// Sorts spans by their begin in linear time. Many batches are already in ascending or descending
// order, since programs traverse memory.
#pragma once

#include <vector>

#include "memory/sweep.h"

namespace photofinish {

// `scratch` is reusable memory; its contents are irrelevant.
void sort_by_begin(std::vector<Span>& spans, std::vector<Span>& scratch);

}  // namespace photofinish
