// Encodes events to bytes and decodes them.
//
// What is known before a call and what it returned are two halves, so that the first can be
// recorded while the call waits. Times are in the trace's units. A start is relative to the end of
// the task's previous event.
//
// Events repeat: usually an event equals the last one from its site, except for its time. So each
// half has a body (everything but its time), and a body that equals the last one of its site is
// replaced by a reference: 4 bytes per event instead of 40, and less input for the compressor.
// Requests are numbered relative to the newest one; otherwise no two events with requests would be
// equal. This state belongs to one chunk, so that chunks can be decoded separately.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "trace/codec.h"
#include "trace/vocabulary.h"

namespace photofinish {

// Position of the last body of a site in its chunk.
struct BodyOffset {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;  // 0: none
};

struct RepeatSlot {
  BodyOffset before, after;
};

inline constexpr std::size_t kRepeatSlots = 64;
// Larger bodies are always written out: a reference must not cost the reader much more than it cost
// the writer.
inline constexpr std::size_t kMaxRepeatedBody = 4096;
inline std::size_t repeat_slot(SiteId site) { return site.value % kRepeatSlots; }

inline std::size_t max_size(const Event& event, std::size_t completions) {
  return kMaxVarint * (18 + kFieldCount) + event.buffers.size() * 4 * kMaxVarint +
         (event.requests.size() + event.numbers.size() + event.more_numbers) * kMaxVarint +
         completions * 5 * kMaxVarint;
}

class EventEncoder {
 public:
  void new_chunk() {
    slots_.fill({});
    openings_.fill({});
    outcomes_.fill({});
    newest_request_ = 0;
  }

  // Each writes its half at `at`, in a chunk that begins at `chunk`, and returns its end.
  std::uint8_t* before(const std::uint8_t* chunk, std::uint8_t* at, const Event& event,
                       std::uint64_t start_delta) {
    const std::size_t slot = repeat_slot(event.site);
    Opening& last = openings_[slot];
    const bool simple = last.take(event);
    if (simple && last.same) {
      Encoder out(at);
      out.number((start_delta << 1) | 1);
      end_ = out.next();
      *end_++ = static_cast<std::uint8_t>(slot);
      numbers_before_ = 0;
      return end_;
    }
    Encoder body(at + kMaxVarint);
    Write write{body};
    write(event.site, event.call);
    write_fields(body, event, ~std::uint64_t{0});
    write(event.buffers);
    body.number(event.requests.size());
    for (const RequestId id : event.requests) body.number(relative(id));
    write(event.numbers);
    numbers_before_ = event.numbers.size();
    if (event.fields.has(Field::request))
      newest_request_ = static_cast<std::uint64_t>(event.fields[Field::request]);
    const bool repeats = replace(chunk, at, body.next(), start_delta, slots_[slot].before);
    if (repeats) *end_++ = static_cast<std::uint8_t>(slot);
    return end_;
  }

  // `before` is the field mask of the first half. Fields that the call's return added are stored
  // now.
  std::uint8_t* after(const std::uint8_t* chunk, std::uint8_t* at, const Event& event,
                      std::uint64_t duration, std::uint64_t before) {
    RepeatSlot& slot = slots_[repeat_slot(event.site)];
    Outcome& last = outcomes_[repeat_slot(event.site)];
    const bool simple = last.take(event, before) && event.numbers.size() == numbers_before_;
    if (simple && last.same && slot.after.size != 0) {
      Encoder out(at);
      out.number((duration << 1) | 1);
      return out.next();
    }
    Encoder body(at + kMaxVarint);
    Write write{body};
    write(event.result);
    write_fields(body, event, ~before);
    write(event.completions);
    body.number(event.numbers.size() - numbers_before_);
    for (std::size_t i = numbers_before_; i < event.numbers.size(); ++i)
      body.signed_number(event.numbers[i]);
    if ((event.fields.mask() & ~before) != 0 && event.fields.has(Field::request))
      newest_request_ = static_cast<std::uint64_t>(event.fields[Field::request]);
    replace(chunk, at, body.next(), duration, slot.after);
    if (!simple) last.mask = ~std::uint64_t{0};  // equals nothing
    return end_;
  }

 private:
  // The last first half of a slot as numbers, so that a repetition can be detected before it is
  // encoded.
  struct Opening {
    std::uint64_t mask = ~std::uint64_t{0};
    SiteId site;
    Call call{};
    bool same = false;
    std::uint8_t buffers = 0;
    Buffer buffer;
    std::array<std::int64_t, 8> values{};

    // Sets this to the event's first half, and whether it is unchanged. False if it is not a simple
    // one.
    bool take(const Event& event) {
      const std::uint64_t now = event.fields.mask();
      if (!event.requests.empty() || !event.numbers.empty() || event.buffers.size() > 1 ||
          std::popcount(now) > 8 || event.fields.has(Field::request)) {
        mask = ~std::uint64_t{0};  // equals nothing
        return false;
      }
      same = mask == now && site == event.site && call == event.call &&
             buffers == event.buffers.size();
      if (!event.buffers.empty()) {
        same = same && buffer == event.buffers.front();
        buffer = event.buffers.front();
      }
      std::size_t count = 0;
      event.fields.each(now, [&](Field, std::int64_t value) {
        same = same && values[count] == value;
        values[count++] = value;
      });
      mask = now;
      site = event.site;
      call = event.call;
      buffers = static_cast<std::uint8_t>(event.buffers.size());
      return true;
    }
  };

  // The last second half of a site as numbers. The program waits for this comparison. Comparing
  // bytes that were just stored one by one would also wait for the store buffer.
  struct Outcome {
    std::uint64_t mask = ~std::uint64_t{0};
    std::int32_t result = 0;
    bool same = false;
    std::array<std::int64_t, 4> values{};

    // Sets this to the event's outcome, and whether it is unchanged. False if it is not a simple
    // one.
    bool take(const Event& event, std::uint64_t before) {
      const std::uint64_t added = event.fields.mask() & ~before;
      if (!event.completions.empty() || std::popcount(added) > 4 ||
          event.fields.has(Field::request))
        return false;
      same = mask == added && result == event.result;
      std::size_t count = 0;
      event.fields.each(added, [&](Field, std::int64_t value) {
        same = same && values[count] == value;
        values[count++] = value;
      });
      mask = added;
      result = event.result;
      return true;
    }
  };

  // 0 is the null request; otherwise the distance from the newest.
  std::uint64_t relative(RequestId id) const {
    if (id.value == 0) return 0;
    const auto distance = static_cast<std::int64_t>(id.value - newest_request_);
    return ((static_cast<std::uint64_t>(distance) << 1) ^
            static_cast<std::uint64_t>(distance >> 63)) +
           1;
  }

  void write_fields(Encoder& out, const Event& event, std::uint64_t mask) const {
    out.number(event.fields.mask() & mask);
    event.fields.each(mask, [&](Field field, std::int64_t value) {
      if (field == Field::request)
        out.number(relative(RequestId(static_cast<std::uint64_t>(value))));
      else
        out.signed_number(value);
    });
  }

  // The body was written a little after `at`. Writes its time, with one bit for a repetition,
  // before it; then the body, unless it is one.
  bool replace(const std::uint8_t* chunk, std::uint8_t* at, const std::uint8_t* body_end,
               std::uint64_t time, BodyOffset& last) {
    const std::uint8_t* body = at + kMaxVarint;
    const auto size = static_cast<std::size_t>(body_end - body);
    const bool repeats = size == last.size && std::memcmp(body, chunk + last.offset, size) == 0;
    Encoder out(at);
    out.number((time << 1) | (repeats ? 1 : 0));
    end_ = out.next();
    if (repeats) return true;
    std::memmove(end_, body, size);
    last = size <= kMaxRepeatedBody ? BodyOffset{static_cast<std::uint32_t>(end_ - chunk),
                                                 static_cast<std::uint32_t>(size)}
                                    : BodyOffset{};
    end_ += size;
    return false;
  }

  std::array<RepeatSlot, kRepeatSlots> slots_{};
  std::array<Opening, kRepeatSlots> openings_{};
  std::array<Outcome, kRepeatSlots> outcomes_{};
  std::uint64_t newest_request_ = 0;
  std::size_t numbers_before_ = 0;  // number of the event's numbers in the first half
  std::uint8_t* end_ = nullptr;
};

class EventDecoder {
 public:
  void new_chunk() {
    slots_.fill({});
    newest_request_ = 0;
  }

  struct Record {
    std::uint64_t call = 0;  // its number in the trace
    std::uint64_t start_delta = 0;
    std::uint64_t duration = 0;
    std::size_t end = 0;  // where the next record begins
  };

  // Decodes the record at `position` of a chunk; bytes up to `limit` may be read. `half`: only its
  // first half exists. Returns an error message, or null.
  const char* decode(const std::uint8_t* chunk, std::size_t position, std::size_t limit, bool half,
                     const Vocabulary& vocabulary, Event& event, Record& record) {
    Decoder in(chunk + position, chunk + limit);
    record.start_delta = in.number();
    RepeatSlot* slot = nullptr;
    if (record.start_delta & 1) {
      const std::uint8_t* index = in.bytes(1);
      if (index == nullptr) return in.reason();
      if (*index >= kRepeatSlots || slots_[*index].before.size == 0)
        return "a repetition of nothing";
      slot = &slots_[*index];
      Decoder body(chunk + slot->before.offset, chunk + slot->before.offset + slot->before.size);
      read_before(body, vocabulary, event, record);
      if (!body.ok()) return body.reason();
    } else {
      const std::size_t start = position + in.position();
      read_before(in, vocabulary, event, record);
      if (!in.ok()) return in.reason();
      slot = &slots_[repeat_slot(event.site)];
      slot->before = location(start, position + in.position());
    }
    record.start_delta >>= 1;
    if (half) {
      if (!in.at_end()) return "bytes behind the record of the call that did not return";
    } else {
      record.duration = in.number();
      if (record.duration & 1) {
        if (slot->after.size == 0) return "a repetition of nothing";
        Decoder body(chunk + slot->after.offset, chunk + slot->after.offset + slot->after.size);
        read_after(body, vocabulary, event);
        if (!body.ok()) return body.reason();
      } else {
        const std::size_t start = position + in.position();
        read_after(in, vocabulary, event);
        if (in.ok()) slot->after = location(start, position + in.position());
      }
      record.duration >>= 1;
    }
    if (!in.ok()) return in.reason();
    record.end = position + in.position();
    return nullptr;
  }

 private:
  static BodyOffset location(std::size_t start, std::size_t end) {
    if (end - start > kMaxRepeatedBody) return {};
    return {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end - start)};
  }

  std::uint64_t absolute(std::uint64_t relative) const {
    if (relative == 0) return 0;
    const std::uint64_t zigzag = relative - 1;
    return newest_request_ + ((zigzag >> 1) ^ (~(zigzag & 1) + 1));
  }

  void read_fields(Decoder& in, const Vocabulary& vocabulary, Event& event) {
    for (std::uint64_t mask = in.number(); mask != 0 && in.ok(); mask &= mask - 1) {
      const auto field = vocabulary.field(static_cast<std::size_t>(std::countr_zero(mask)));
      if (field == Field::request)
        event.fields.set(*field, static_cast<std::int64_t>(absolute(in.number())));
      else if (const std::int64_t value = in.signed_number(); field)
        event.fields.set(*field, value);
    }
  }

  void read_before(Decoder& in, const Vocabulary& vocabulary, Event& event, Record& record) {
    Read read{in};
    read(event.site, record.call);
    read_fields(in, vocabulary, event);
    read(event.buffers);
    event.requests.clear();
    for (std::size_t left = in.length(); left > 0 && in.ok(); --left)
      event.requests.emplace_back(absolute(in.number()));
    read(event.numbers);
    note_newest(event);
  }

  void read_after(Decoder& in, const Vocabulary& vocabulary, Event& event) {
    Read read{in};
    read(event.result);
    const std::uint64_t before = event.fields.mask();
    read_fields(in, vocabulary, event);
    read(event.completions);
    for (std::size_t left = in.length(); left > 0 && in.ok(); --left)
      event.numbers.push_back(in.signed_number());
    if (event.fields.mask() != before) note_newest(event);
  }

  void note_newest(const Event& event) {
    if (event.fields.has(Field::request))
      newest_request_ = static_cast<std::uint64_t>(event.fields[Field::request]);
  }

  std::array<RepeatSlot, kRepeatSlots> slots_{};
  std::uint64_t newest_request_ = 0;
};

}  // namespace photofinish
