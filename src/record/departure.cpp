#include "record/departure.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace photofinish {

void write_departure(const std::string& path, const Departure& departure) {
  Size size;
  size(departure);
  std::vector<std::uint8_t> bytes(size.bytes);
  Encoder out(bytes.data());
  Write{out}(departure);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  (void)!write(file, bytes.data(), static_cast<std::size_t>(out.next() - bytes.data()));
  close(file);
}

Result<Departure> read_departure(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{path + ": there is no such file"};
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  Decoder in(begin, begin + bytes.size());
  Departure departure;
  Read{in}(departure);
  if (!in.ok()) return Error{path + ": " + in.reason()};
  return departure;
}

}  // namespace photofinish
