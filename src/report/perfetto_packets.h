// Writes the packets of a Perfetto trace: protos/perfetto/trace/trace_packet.proto and those that
// it includes, as far as needed.
//
// Strings are interned: written once for each rank and then referenced by number. Times are deltas
// to the preceding packet. Packets are compressed in batches with zlib. A call takes about 30 bytes
// before compression:
//   TracePacket { timestamp: 1200  trusted_packet_sequence_id: 3  sequence_flags: 2
//                 track_event { type: SLICE_BEGIN  name_iid: 7  category_iids: 2
//                               debug_annotations { name_iid: 1  string_value_iid: 40 } } }
//   TracePacket { timestamp: 300  …  track_event { type: SLICE_END } }
// Limits: beyond kMostStrings different strings of a rank, further ones are written in full.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace photofinish {

// Encodes a protobuf message field by field.
class ProtoMessage {
 public:
  ProtoMessage& number(std::uint32_t field, std::uint64_t value);  // a varint
  ProtoMessage& fixed64(std::uint32_t field, std::uint64_t value);
  ProtoMessage& text(std::uint32_t field, std::string_view value);  // also bytes, and a message
  ProtoMessage& message(std::uint32_t field, const ProtoMessage& value) {
    return text(field, value.bytes_);
  }
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void varint(std::uint64_t value);
  std::string bytes_;
};

// The file: packets, compressed in batches.
class PerfettoFile {
 public:
  explicit PerfettoFile(std::FILE* file) : file_(file) {}
  void add(const ProtoMessage& packet);
  bool end();  // false if writing failed
  std::uint64_t new_track() { return ++tracks_; }
  std::uint32_t new_sequence() { return ++sequences_; }

 private:
  void write_batch();
  std::FILE* file_;
  ProtoMessage batch_;
  bool failed_ = false;
  std::uint64_t tracks_ = 0;
  std::uint32_t sequences_ = 0;
};

struct PerfettoArgument {
  std::string_view name, value;
};

struct PerfettoEvent {
  enum class Type : std::uint8_t { SliceBegin = 1, SliceEnd = 2, Instant = 3 };
  Type type{};
  std::uint64_t at = 0;  // nanoseconds
  std::uint64_t track = 0;
  std::string_view name = {}, category = {};
  std::vector<PerfettoArgument> arguments = {};
  std::vector<std::uint64_t> flows = {};       // arrows that start here
  std::vector<std::uint64_t> last_flows = {};  // arrows that end here
};

// Events that share strings and a clock: those of one rank.
class PerfettoSequence {
 public:
  explicit PerfettoSequence(PerfettoFile& file);
  void process(std::uint64_t track, int pid, const std::string& name);
  void thread(std::uint64_t track, int pid, std::uint64_t tid, const std::string& name);
  void add(const PerfettoEvent& event);

 private:
  // The number of a string; 0: it has none and is written in full. New strings go to `fresh_`.
  std::uint64_t intern(std::uint32_t table, std::string_view text);

  PerfettoFile& file_;
  const std::uint32_t id_;
  std::uint64_t now_ = 0;  // of the incremental clock
  std::map<std::uint32_t, std::unordered_map<std::string, std::uint64_t>> strings_;
  ProtoMessage fresh_;
};

}  // namespace photofinish
