#include "record/journal.h"

namespace photofinish {
// A site, and whether the same is asked there again.
Journal::Asked Journal::ask(std::uint32_t what, SiteId site) {
  ++entries_;
  if (!replays()) {
    expected_ = &last_[site];
    const bool again = expected_->what == what;
    expected_->what = what;
    expected_->site = site;
    entry_.clear();
    Encoder out(room(2 * kMaxVarint));
    out.number(std::uint64_t{site.value} << 1 | (again ? 1 : 0));
    if (!again) out.number(what);
    kept(out.next());
    return Asked::Same;
  }
  if (!fill()) return Asked::End;
  const std::uint64_t word = in_.number();
  const SiteId kept_site(static_cast<std::uint32_t>(word >> 1));
  expected_ = &last_[kept_site];
  expected_->site = kept_site;
  if ((word & 1) == 0) Read{in_}(expected_->what);
  return expected_->what == what && kept_site == site ? Asked::Same : Asked::Other;
}

Journal::Asked Journal::ask_with(const std::vector<Question::Given>& fields) {
  if (!replays()) {
    bool again = expected_->fields == fields;
    exchange(again);
    if (again) return Asked::Same;
    expected_->fields = fields;
    exchange(expected_->fields);
    return Asked::Same;
  }
  bool again = false;
  exchange(again);
  if (!again) exchange(expected_->fields);
  return expected_->fields == fields ? Asked::Same : Asked::Other;
}

void Journal::done() {
  if (lane_ != nullptr) lane_->append(entry_);
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

bool Journal::is_kept_load(std::uint32_t what) {
  if (kept_load_ == kUnknown) {
    kept_load_ = 0;
    if (fill()) {
      Decoder ahead = in_;
      const std::uint64_t word = ahead.number();
      const std::uint32_t next = (word & 1) != 0 ? last_[SiteId(static_cast<std::uint32_t>(word >> 1))].what : static_cast<std::uint32_t>(ahead.number());
      if (next == what) kept_load_ = ahead.number();
    }
  }
  return ++loads_ == kept_load_;
}

void Journal::bytes(void* data, std::size_t size) {
  if (replays()) {
    if (const std::uint8_t* kept_bytes = in_.bytes(size)) std::memcpy(data, kept_bytes, size);
    return;
  }
  if (size == 0) return;
  std::uint8_t* out = room(size);
  std::memcpy(out, data, size);
  kept(out + size);
}

std::uint8_t* Journal::room(std::size_t bytes) {
  const std::size_t used = entry_.size();
  entry_.resize(used + bytes);
  return entry_.data() + used;
}

}  // namespace photofinish
