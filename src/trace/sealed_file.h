// A small file with a header and one value: written atomically, and read only if its checksum is
// right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/codec.h"

namespace photofinish {

// Replaces the file. Also used inside the user's process.
Result<bool> write_sealed(const std::string& path, const char (&magic)[8],
                          const std::vector<std::uint8_t>& payload);
Result<std::vector<std::uint8_t>> read_sealed(const std::string& path, const char (&magic)[8]);

template <class T>
std::vector<std::uint8_t> encoded(const T& it) {
  Size size;
  size(it);
  std::vector<std::uint8_t> bytes(size.bytes);
  Encoder out(bytes.data());
  Write{out}(it);
  bytes.resize(static_cast<std::size_t>(out.next() - bytes.data()));
  return bytes;
}

template <class T>
Result<T> decoded(const std::uint8_t* bytes, std::size_t size) {
  Decoder in(bytes, bytes + size);
  T it;
  Read{in}(it);
  if (in.ok() && !in.at_end()) in.fail("bytes behind the findings");
  if (!in.ok()) return Error{in.reason()};
  return it;
}

template <class T>
Result<T> read_sealed_value(const std::string& path, const char (&magic)[8]) {
  const auto payload = read_sealed(path, magic);
  if (!payload) return payload.error();
  auto it = decoded<T>(payload->data(), payload->size());
  if (!it) return Error{path + ": " + it.error().message};
  return it;
}

}  // namespace photofinish
