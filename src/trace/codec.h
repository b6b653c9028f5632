// Encodes values to bytes and decodes them. One `describe` per stored type lists its members, for
// both directions.
//
// Numbers are LEB128 varints, signed ones in zigzag form. Strings and lists are preceded by their
// length. The encoder writes to memory that its caller has made large enough. The decoder trusts
// nothing: it never reads past its end, never allocates more than the input could fill, and
// remembers the first error.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/definitions.h"
#include "model/event.h"

namespace photofinish {

inline constexpr std::size_t kMaxVarint = 10;

class Encoder {
 public:
  explicit Encoder(std::uint8_t* out) : next_(out) {}
  std::uint8_t* next() const { return next_; }

  void number(std::uint64_t value) {
    while (value >= 0x80) {
      *next_++ = static_cast<std::uint8_t>(value | 0x80);
      value >>= 7;
    }
    *next_++ = static_cast<std::uint8_t>(value);
  }
  void signed_number(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void bytes(const void* data, std::size_t size) {
    std::memcpy(next_, data, size);
    next_ += size;
  }

 private:
  std::uint8_t* next_;
};

class Decoder {
 public:
  Decoder(const std::uint8_t* begin, const std::uint8_t* end)
      : begin_(begin), next_(begin), end_(end) {}
  bool ok() const { return reason_ == nullptr; }
  bool at_end() const { return next_ == end_; }
  const char* reason() const { return reason_; }
  std::size_t position() const { return static_cast<std::size_t>(next_ - begin_); }
  std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }
  void fail(const char* reason) {
    if (reason_ == nullptr) reason_ = reason;
    next_ = end_;
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (next_ == end_) return fail("a number is cut off"), 0;
      const std::uint8_t byte = *next_++;
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    return fail("a number has more than 64 bits"), 0;
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  // A count of items of at least one byte each.
  std::size_t length() {
    const std::uint64_t value = number();
    if (value > left()) return fail("a length is larger than what is left"), 0;
    return static_cast<std::size_t>(value);
  }
  const std::uint8_t* bytes(std::size_t size) {
    if (size > left()) return fail("a string is cut off"), nullptr;
    const std::uint8_t* start = next_;
    next_ += size;
    return start;
  }

 private:
  const std::uint8_t* begin_;
  const std::uint8_t* next_;
  const std::uint8_t* end_;
  const char* reason_ = nullptr;
};

// --- single values, in both directions; sizes as upper bounds

template <class T>
inline constexpr bool kIsId = false;
template <class Tag, class Rep>
inline constexpr bool kIsId<Id<Tag, Rep>> = true;

struct Write {
  Encoder& out;
  template <class... T>
  void operator()(const T&... values) {
    (one(values), ...);
  }
  template <class T>
  void one(const T& value) {
    if constexpr (kIsId<T>)
      one(value.value);
    else if constexpr (std::is_enum_v<T>)
      out.number(static_cast<std::uint64_t>(value));
    else if constexpr (std::is_same_v<T, double>)
      out.number(std::bit_cast<std::uint64_t>(value));
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      out.signed_number(value);
    else if constexpr (std::is_integral_v<T>)
      out.number(value);
    else
      describe(*this, const_cast<T&>(value));
  }
  void one(const std::string& text) {
    out.number(text.size());
    out.bytes(text.data(), text.size());
  }
  template <class T>
  void one(const std::vector<T>& list) {
    out.number(list.size());
    for (const T& item : list) one(item);
  }
};

struct Size {
  std::size_t bytes = 0;
  template <class... T>
  void operator()(const T&... values) {
    (one(values), ...);
  }
  template <class T>
  void one(const T& value) {
    if constexpr (kIsId<T> || std::is_enum_v<T> || std::is_arithmetic_v<T>)
      bytes += kMaxVarint;
    else
      describe(*this, const_cast<T&>(value));
  }
  void one(const std::string& text) { bytes += kMaxVarint + text.size(); }
  template <class T>
  void one(const std::vector<T>& list) {
    bytes += kMaxVarint;
    for (const T& item : list) one(item);
  }
};

struct Read {
  Decoder& in;
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }
  template <class T>
  void one(T& value) {
    if constexpr (kIsId<T>)
      one(value.value);
    else if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(narrow<std::underlying_type_t<T>>(in.number()));
    else if constexpr (std::is_same_v<T, bool>)
      value = in.number() != 0;
    else if constexpr (std::is_same_v<T, double>)
      value = std::bit_cast<double>(in.number());
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      value = narrow<T>(in.signed_number());
    else if constexpr (std::is_integral_v<T>)
      value = narrow<T>(in.number());
    else
      describe(*this, value);
  }
  template <class T, class Wide>
  T narrow(Wide value) {
    if (!std::in_range<T>(value)) return in.fail("a number is larger than it can be"), T{};
    return static_cast<T>(value);
  }
  void one(std::string& text) {
    const std::size_t size = in.length();
    if (const std::uint8_t* start = in.bytes(size))
      text.assign(reinterpret_cast<const char*>(start), size);
  }
  template <class T>
  void one(std::vector<T>& list) {
    list.clear();
    for (std::size_t left = in.length(); left > 0 && in.ok(); --left) one(list.emplace_back());
  }
};

template <class A>
void describe(A& a, Dimension& d) {
  a(d.count, d.stride);
}
template <class A>
void describe(A& a, Strided& d) {
  a(d.offset, d.length, d.dimensions);
}
template <class A>
void describe(A& a, ByteRange& d) {
  a(d.begin, d.end);
}
template <class A>
void describe(A& a, DataMap& d) {
  a(d.size, d.lower_bound, d.extent, d.footprint);
}
template <class A>
void describe(A& a, ModuleDefinition& d) {
  a(d.id, d.path, d.build_id, d.base, d.script_function);
}
template <class A>
void describe(A& a, SiteFrame& d) {
  a(d.module, d.address);
}
template <class A>
void describe(A& a, SiteDefinition& d) {
  a(d.id, d.frames);
}
template <class A>
void describe(A& a, GroupDefinition& d) {
  a(d.id, d.ranks);
}
template <class A>
void describe(A& a, CommDefinition& d) {
  a(d.id, d.uid, d.name, d.group, d.remote_group, d.parent, d.has_topology, d.sources,
    d.destinations);
}
template <class A>
void describe(A& a, TypeDefinition& d) {
  a(d.id, d.name, d.element, d.map);
}
template <class A>
void describe(A& a, OpDefinition& d) {
  a(d.id, d.name);
}
template <class A>
void describe(A& a, WinSegment& d) {
  a(d.owner, d.address, d.size);
}
template <class A>
void describe(A& a, WinDefinition& d) {
  a(d.id, d.uid, d.name, d.comm, d.flavour, d.unified, d.base, d.size, d.unit, d.accumulate_ops,
    d.accumulate_ordering, d.segments);
}
template <class A>
void describe(A& a, TextDefinition& d) {
  a(d.id, d.text);
}
template <class A>
void describe(A& a, SamplingDefinition& d) {
  a(d.id, d.slowdown, d.checked, d.skipped, d.locations, d.thinned, d.own_ns, d.recording_ns,
    d.tests_ns, d.compared_ns, d.run_ns, d.lifted_ns, d.wall_ns);
}
template <class A>
void describe(A& a, BlockDefinition& d) {
  a(d.id, d.address, d.bytes, d.site, d.since, d.until);
}
template <class A>
void describe(A& a, IncompleteDefinition& d) {
  a(d.id, d.reason, d.text);
}
template <class A>
void describe(A& a, TaskDefinition& d) {
  a(d.id, d.os_thread);
}
template <class A>
void describe(A& a, HostClock& d) {
  a(d.id, d.ns_per_tick, d.tick, d.ns);
}
template <class A>
void describe(A& a, RankDefinition& d) {
  a(d.rank, d.world_size, d.host, d.pid, d.library, d.program, d.clock, d.ticks_per_unit);
}
template <class A>
void describe(A& a, Buffer& d) {
  a(d.access, d.address, d.count, d.type);
}
template <class A>
void describe(A& a, Completion& d) {
  a(d.index, d.from, d.tag, d.bytes, d.cancelled);
}

}  // namespace photofinish
