#include "record/departure.h"

#include "trace/sealed_file.h"

namespace photofinish {
namespace {
constexpr char kMagic[8] = {'P', 'F', 'D', 'E', 'P', 'A', 'R', '1'};
}

void write_departure(const std::string& path, const Departure& departure) {
  (void)write_sealed(path, kMagic, encoded(departure));
}
Result<Departure> read_departure(const std::string& path) {
  return read_sealed_value<Departure>(path, kMagic);
}

}  // namespace photofinish
