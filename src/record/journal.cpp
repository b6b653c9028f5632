#include "record/journal.h"

#include <algorithm>
#include <bit>

#include "record/packing.h"

namespace photofinish {
namespace {

// The first word of an entry: its site, and whether its key is the same as the last one there.
// Loads have a word of their own, since there may be one entry per load of a loop.
constexpr std::uint64_t kLoadWord = 0;
// How bytes are stored.
constexpr std::uint8_t kPacked = 1, kTaken = 2, kShared = 4;
std::uint64_t word_of(SiteId site, bool again) {
  return (std::uint64_t{site.value} << 1 | (again ? 1 : 0)) + 1;
}

}  // namespace

Journal::Asked Journal::ask(std::uint32_t what, SiteId site) {
  ++entries_;
  if (!replays()) {
    expected_ = &last_at(site);
    const bool again = expected_->what == what;
    expected_->what = what;
    expected_->site = site;
    entry_.clear();
    Encoder out(entry_.room(2 * kMaxVarint));
    out.number(word_of(site, again));
    if (!again) out.number(what);
    entry_.end_at(out.next());
    return Asked::Same;
  }
  if (!fill()) return Asked::End;
  std::uint64_t word = in_.number();
  if (word == kLoadWord) {
    expected_ = &load_;
    return Asked::Other;
  }
  --word;
  const SiteId kept_site(static_cast<std::uint32_t>(word >> 1));
  expected_ = &last_at(kept_site);
  expected_->site = kept_site;
  if ((word & 1) == 0) Read{in_}(expected_->what);
  return expected_->what == what && kept_site == site ? Asked::Same : Asked::Other;
}

// Most fields are the same as the last time. Then 1 and a bit mask of the changed ones are stored,
// and their values; otherwise 0 and all fields.
Journal::Asked Journal::ask_with(const std::vector<Inquiry::Given>& fields) {
  std::vector<Inquiry::Given>& last = expected_->fields;
  if (!replays()) {
    constexpr std::size_t kBits = 63;
    bool alike = fields.size() == last.size() && fields.size() <= kBits;
    std::uint64_t others = 0;
    for (std::size_t i = 0; alike && i < fields.size(); ++i) {
      alike = fields[i].field == last[i].field;
      if (fields[i].value != last[i].value) others |= std::uint64_t{1} << i;
    }
    std::uint64_t word = alike ? others + 1 : 0;
    exchange(word);
    if (!alike) {
      last = fields;
      exchange(last);
      return Asked::Same;
    }
    for (; others != 0; others &= others - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(others));
      last[i].value = fields[i].value;
      exchange(last[i].value);
    }
    return Asked::Same;
  }
  std::uint64_t word = 0;
  exchange(word);
  if (word == 0) exchange(last);
  for (std::uint64_t others = word == 0 ? 0 : word - 1; others != 0; others &= others - 1)
    if (const auto i = static_cast<std::size_t>(std::countr_zero(others)); i < last.size())
      exchange(last[i].value);
  return last == fields ? Asked::Same : Asked::Other;
}

void Journal::done() {
  if (lane_ != nullptr) lane_->append(entry_.data(), entry_.size());
  for (const Kept& kept : kept_payloads_) table_->publish(kept.hash, kept.number);
  kept_payloads_.clear();
  loads_ = 0;
  kept_load_ = kUnknown;
}

// Whether there is another entry.
bool Journal::fill() {
  if (!in_.at_end()) return true;
  if (!source_(chunk_) || chunk_.empty()) return false;
  in_ = Decoder(chunk_.data(), chunk_.data() + chunk_.size());
  return true;
}

void Journal::keep_load(std::uint64_t tick) {
  ++entries_;
  entry_.clear();
  Encoder out(entry_.room(3 * kMaxVarint));
  out.number(kLoadWord);
  out.number(loads_);
  out.number(tick - load_tick_);
  load_tick_ = tick;
  entry_.end_at(out.next());
}

bool Journal::is_kept_load() {
  if (kept_load_ == kUnknown) {
    kept_load_ = 0;
    if (fill()) {
      Decoder ahead = in_;
      if (ahead.number() == kLoadWord) kept_load_ = ahead.number();
    }
  }
  return ++loads_ == kept_load_;
}

std::uint64_t Journal::give_load() {
  ++entries_;
  in_.number();
  in_.number();
  return load_tick_ += in_.number();
}

std::optional<ContentHash> Journal::payload(const void* data, std::size_t size) {
  if (size < kPayloadFrom || !shares()) return {};
  if (files_ != nullptr) return files_->payload(data, size), std::nullopt;
  const ContentHash hash = content_hash(data, size);
  table_->publish(hash, table_->next_number());
  return hash;
}

void Journal::take(SharedPayload payload, void* data, std::size_t size) {
  if (!ok()) return;
  if (files_ == nullptr || !files_->take(payload, data, size)) {
    if (lost_) lost_(payload);
    return in_.fail("the data from another rank is missing");
  }
  if (check_of(content_hash(data, size)) != payload.check && other_) other_(payload);
}

void Journal::contents(void* data, std::size_t size) {
  if (size < kPayloadFrom || table_ == nullptr) return bytes(data, size);
  const ContentHash hash = content_hash(data, size);
  if (std::optional<SharedPayload> payload = table_->take(hash)) {
    std::uint8_t kind = kTaken;
    return (*this)(kind, *payload);
  }
  const bool payloads = size >= kKeptPayloadFrom;
  keep(data, size, payloads ? &hash : nullptr);
  // If the memory is being written at this timestamp, the stored contents are unknown, and are not
  // shared.
  if (payloads && content_hash(data, size) != hash) kept_payloads_.pop_back();
}

// From kPayloadFrom bytes on, a leading byte shows how they are stored. A first part shows whether
// packing is worthwhile.
void Journal::keep(void* data, std::size_t size, const ContentHash* shared) {
  constexpr std::size_t kTry = 512;
  // Payloads stored unpacked after one that packing did not shrink.
  constexpr unsigned kUnpacked = 31;
  if (replays()) {
    const std::uint8_t* kind = size >= kPayloadFrom ? in_.bytes(1) : nullptr;
    if (kind != nullptr && (*kind & kTaken) != 0) {
      SharedPayload payload;
      exchange(payload);
      return take(payload, data, size);
    }
    if (kind != nullptr && (*kind & kPacked) != 0) {
      const std::uint8_t* const kept_end =
          unpack(kind + 1, kind + 1 + in_.left(), static_cast<std::uint8_t*>(data), size);
      if (kept_end == nullptr)
        in_.fail("packed bytes are damaged");
      else
        in_.bytes(static_cast<std::size_t>(kept_end - kind - 1));
    } else if (const std::uint8_t* kept_bytes = in_.bytes(size); kept_bytes && size != 0) {
      std::memcpy(data, kept_bytes, size);
    }
    if (kind != nullptr && (*kind & kShared) != 0 && files_ != nullptr) files_->payload(data, size);
    return;
  }
  if (size == 0) return;
  std::uint8_t* out = entry_.room(1 + packed_bound(size));
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  if (size >= kPayloadFrom) {
    bool packs = unpacked_ == 0;
    if (packs) {
      const std::size_t tried = std::min(size, kTry);
      packs = static_cast<std::size_t>(pack(bytes, tried, out + 1) - out - 1) < tried - tried / 8;
    }
    unpacked_ = packs ? 0 : unpacked_ == 0 ? kUnpacked : unpacked_ - 1;
    *out++ = static_cast<std::uint8_t>((packs ? kPacked : 0) | (shared != nullptr ? kShared : 0));
    if (shared != nullptr) kept_payloads_.push_back({*shared, table_->next_number()});
    if (packs) return entry_.end_at(pack(bytes, size, out));
  }
  std::memcpy(out, bytes, size);
  entry_.end_at(out + size);
}

Inquiry& Journal::last_at(SiteId site) {
  constexpr std::uint32_t kFew = 1 << 16;
  if (site.value >= kFew) return last_of_many_[site];
  if (site.value >= last_.size()) last_.resize(site.value + 1);
  return last_[site.value];
}

void Journal::Bytes::grow(std::size_t more) {
  capacity_ = std::max(2 * (size_ + more), std::size_t{4096});
  auto bytes = std::make_unique_for_overwrite<std::uint8_t[]>(capacity_);
  if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
}

}  // namespace photofinish
