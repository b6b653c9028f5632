// Splits a trace file into its decompressed chunks, and assembles it again with valid sizes and
// checksums: to make files that no writer produces.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "base/check.h"
#include "trace/codec.h"
#include "trace/event_codec.h"
#include "trace/format.h"

namespace photofinish::testing {

using Bytes = std::vector<std::uint8_t>;

struct RawChunk {
  ChunkHeader header{};
  Bytes payload;  // decompressed
};

struct RawTrace {
  FileHeader header{};
  std::vector<RawChunk> chunks;
};

inline RawTrace take_apart(const std::string& file) {
  RawTrace raw;
  CHECK(file.size() >= sizeof raw.header);
  std::memcpy(&raw.header, file.data(), sizeof raw.header);
  for (std::size_t at = sizeof raw.header; at < file.size();) {
    RawChunk& chunk = raw.chunks.emplace_back();
    CHECK(file.size() - at >= sizeof chunk.header);
    std::memcpy(&chunk.header, file.data() + at, sizeof chunk.header);
    at += sizeof chunk.header;
    chunk.payload.resize(chunk.header.raw_size);
    if (chunk.header.stored_size == chunk.header.raw_size)
      std::memcpy(chunk.payload.data(), file.data() + at, chunk.payload.size());
    else
      CHECK(ZSTD_decompress(chunk.payload.data(), chunk.payload.size(), file.data() + at,
                            chunk.header.stored_size) == chunk.payload.size());
    at += chunk.header.stored_size;
  }
  return raw;
}

inline void append(std::string& file, const void* data, std::size_t size) {
  file.append(static_cast<const char*>(data), size);
}

// `honest`: adapts the sizes in the chunk headers; otherwise they stay, under a valid checksum.
inline std::string put_together(RawTrace raw, bool honest = true) {
  std::string file;
  raw.header.checksum = XXH3_64bits(&raw.header, offsetof(FileHeader, checksum));
  append(file, &raw.header, sizeof raw.header);
  for (RawChunk& chunk : raw.chunks) {
    Bytes stored(ZSTD_compressBound(chunk.payload.size()));
    stored.resize(
        ZSTD_compress(stored.data(), stored.size(), chunk.payload.data(), chunk.payload.size(), 1));
    if (stored.size() >= chunk.payload.size()) stored = chunk.payload;
    if (honest) {
      chunk.header.raw_size = static_cast<std::uint32_t>(chunk.payload.size());
      chunk.header.stored_size = static_cast<std::uint32_t>(stored.size());
    }
    chunk.header.checksum = XXH3_64bits_withSeed(
        stored.data(), stored.size(), XXH3_64bits(&chunk.header, offsetof(ChunkHeader, checksum)));
    append(file, &chunk.header, sizeof chunk.header);
    append(file, stored.data(), stored.size());
  }
  return file;
}

template <class... T>
Bytes encoded(const T&... values) {
  Size size;
  size(values...);
  Bytes bytes(size.bytes);
  Encoder out(bytes.data());
  Write{out}(values...);
  bytes.resize(static_cast<std::size_t>(out.next() - bytes.data()));
  return bytes;
}

inline Bytes encoded_event(const Event& event, std::uint64_t start_delta) {
  Bytes bytes(max_size(event, event.completions.size()));
  EventEncoder encoder;
  const std::uint8_t* end = bytes.data();
  end = encoder.before(end, bytes.data(), event, start_delta);
  end = encoder.after(bytes.data(), bytes.data() + (end - bytes.data()), event, event.duration,
                      event.fields.mask());
  bytes.resize(static_cast<std::size_t>(end - bytes.data()));
  return bytes;
}

}  // namespace photofinish::testing
