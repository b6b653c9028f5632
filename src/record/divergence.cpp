#include "record/divergence.h"

#include "trace/sealed_file.h"

namespace photofinish {
namespace {
constexpr char kMagic[8] = {'P', 'F', 'D', 'E', 'P', 'A', 'R', '2'};
}

void write_divergence(const std::string& path, const Divergence& divergence) {
  (void)write_sealed(path, kMagic, encoded(divergence));
}
Result<Divergence> read_divergence(const std::string& path) {
  return read_sealed_value<Divergence>(path, kMagic);
}

}  // namespace photofinish
