#include "report/perfetto_packets.h"

#include <zlib.h>

namespace photofinish {
namespace {

constexpr std::size_t kBatch = 1 << 19;  // bytes that are compressed together
constexpr std::size_t kMostStrings = 1 << 16;

// Field numbers, by message.
namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace packet {
constexpr std::uint32_t clock_snapshot = 6, timestamp = 8, sequence_id = 10, track_event = 11,
                        interned_data = 12, sequence_flags = 13, compressed_packets = 50,
                        timestamp_clock_id = 58, defaults = 59, track_descriptor = 60;
}
namespace snapshot {
constexpr std::uint32_t clocks = 1, clock_id = 1, timestamp = 2, is_incremental = 3;
}
namespace track {
constexpr std::uint32_t uuid = 1, process = 3, thread = 4, parent_uuid = 5, pid = 1, tid = 2,
                        thread_name = 5, process_name = 6;
}
namespace event {
constexpr std::uint32_t category_iids = 3, debug_annotations = 4, type = 9, name_iid = 10,
                        track_uuid = 11, categories = 22, name = 23, flow_ids = 47,
                        terminating_flow_ids = 48;
}
namespace interned {
constexpr std::uint32_t categories = 1, names = 2, argument_names = 3, argument_values = 29,
                        iid = 1, text = 2;
}
namespace argument {
constexpr std::uint32_t name_iid = 1, text = 6, name = 10, text_iid = 17;
}

constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;  // sequence_flags
constexpr std::uint64_t kBootTime = 6, kOwnClock = 64;  // clock ids; from 64 on local to a sequence

}  // namespace

void ProtoMessage::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

ProtoMessage& ProtoMessage::number(std::uint32_t field, std::uint64_t value) {
  varint(field << 3);
  varint(value);
  return *this;
}

ProtoMessage& ProtoMessage::fixed64(std::uint32_t field, std::uint64_t value) {
  varint(field << 3 | 1);
  for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i));
  return *this;
}

ProtoMessage& ProtoMessage::text(std::uint32_t field, std::string_view value) {
  varint(field << 3 | 2);
  varint(value.size());
  bytes_ += value;
  return *this;
}

void PerfettoFile::add(const ProtoMessage& packet) {
  batch_.message(trace::packet, packet);
  if (batch_.bytes().size() >= kBatch) write_batch();
}

void PerfettoFile::write_batch() {
  const std::string& bytes = batch_.bytes();
  if (bytes.empty()) return;
  uLongf size = compressBound(bytes.size());
  std::string compressed(size, '\0');
  failed_ |= compress(reinterpret_cast<Bytef*>(compressed.data()), &size,
                      reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != Z_OK;
  compressed.resize(size);
  ProtoMessage whole;
  whole.message(trace::packet, ProtoMessage().text(packet::compressed_packets, compressed));
  failed_ |=
      std::fwrite(whole.bytes().data(), 1, whole.bytes().size(), file_) != whole.bytes().size();
  batch_.clear();
}

bool PerfettoFile::end() {
  write_batch();
  return std::fflush(file_) == 0 && !failed_;
}

PerfettoSequence::PerfettoSequence(PerfettoFile& file) : file_(file), id_(file.new_sequence()) {
  // The clock begins at 0 of the trace and is the default clock of packets.
  const auto clock = [](std::uint64_t id) {
    return ProtoMessage().number(snapshot::clock_id, id).number(snapshot::timestamp, 0);
  };
  file_.add(
      ProtoMessage()
          .number(packet::sequence_id, id_)
          .number(packet::sequence_flags, kStateCleared)
          .message(packet::defaults, ProtoMessage().number(packet::timestamp_clock_id, kOwnClock))
          .message(packet::clock_snapshot,
                   ProtoMessage()
                       .message(snapshot::clocks, clock(kBootTime))
                       .message(snapshot::clocks,
                                clock(kOwnClock).number(snapshot::is_incremental, 1))));
}

void PerfettoSequence::process(std::uint64_t uuid, int pid, const std::string& name) {
  file_.add(ProtoMessage()
                .number(packet::sequence_id, id_)
                .message(packet::track_descriptor,
                         ProtoMessage()
                             .number(track::uuid, uuid)
                             .message(track::process,
                                      ProtoMessage()
                                          .number(track::pid, static_cast<std::uint64_t>(pid))
                                          .text(track::process_name, name))));
}

void PerfettoSequence::thread(std::uint64_t uuid, int pid, std::uint64_t tid,
                              const std::string& name) {
  file_.add(ProtoMessage()
                .number(packet::sequence_id, id_)
                .message(packet::track_descriptor,
                         ProtoMessage()
                             .number(track::uuid, uuid)
                             .message(track::thread,
                                      ProtoMessage()
                                          .number(track::pid, static_cast<std::uint64_t>(pid))
                                          .number(track::tid, tid)
                                          .text(track::thread_name, name))));
}

std::uint64_t PerfettoSequence::intern(std::uint32_t table, std::string_view text) {
  auto& known = strings_[table];
  const auto found = known.find(std::string(text));
  if (found != known.end()) return found->second;
  if (known.size() == kMostStrings) return 0;
  const std::uint64_t number = known.size() + 1;
  known.emplace(text, number);
  fresh_.message(table, ProtoMessage().number(interned::iid, number).text(interned::text, text));
  return number;
}

void PerfettoSequence::add(const PerfettoEvent& one) {
  ProtoMessage reported;
  reported.number(event::type, static_cast<std::uint64_t>(one.type))
      .number(event::track_uuid, one.track);
  if (!one.name.empty()) {
    if (const std::uint64_t number = intern(interned::names, one.name))
      reported.number(event::name_iid, number);
    else
      reported.text(event::name, one.name);
  }
  if (!one.category.empty()) {
    if (const std::uint64_t number = intern(interned::categories, one.category))
      reported.number(event::category_iids, number);
    else
      reported.text(event::categories, one.category);
  }
  for (const auto& [name, value] : one.arguments) {
    ProtoMessage argument;
    argument.number(argument::name_iid, intern(interned::argument_names, name));
    if (const std::uint64_t number = intern(interned::argument_values, value))
      argument.number(argument::text_iid, number);
    else
      argument.text(argument::text, value);
    reported.message(event::debug_annotations, argument);
  }
  for (const std::uint64_t flow : one.flows) reported.fixed64(event::flow_ids, flow);
  for (const std::uint64_t flow : one.last_flows)
    reported.fixed64(event::terminating_flow_ids, flow);

  ProtoMessage whole;
  if (one.at >= now_) {
    whole.number(packet::timestamp, one.at - now_);
    now_ = one.at;
  } else {  // another task's event has an earlier begin
    whole.number(packet::timestamp, one.at).number(packet::timestamp_clock_id, kBootTime);
  }
  whole.number(packet::sequence_id, id_).number(packet::sequence_flags, kNeedsState);
  if (!fresh_.bytes().empty()) whole.message(packet::interned_data, fresh_);
  fresh_.clear();
  file_.add(whole.message(packet::track_event, reported));
}

}  // namespace photofinish
