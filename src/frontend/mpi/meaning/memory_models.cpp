#include "frontend/mpi/meaning/memory_models.h"

#include <string>

namespace photofinish::mpi_meaning {

RegionTraits region_of(const WinDefinition& window) {
  RegionTraits region;
  region.uid = window.uid;
  region.base = window.base;
  region.size = window.size;
  region.unit = window.unit;
  // A dynamic window has no bounds, so its stores cannot be identified.
  const bool separate = !window.unified && window.flavour != WinFlavour::Dynamic;
  region.model = separate ? &kSeparate : &kUnified;
  region.accumulates = region.model->accumulates;
  region.accumulates.same_op_only = window.accumulate_ops == "same_op";
  const std::string& ordering = window.accumulate_ordering;
  const auto keeps = [&](const char* what) { return ordering.find(what) != std::string::npos; };
  region.accumulates.ordered = ordering.empty() || (keeps("raw") && keeps("war") && keeps("waw"));
  return region;
}

}  // namespace photofinish::mpi_meaning
