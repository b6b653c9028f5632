#include "trace/vocabulary.h"

#include <string>
#include <unordered_map>

namespace photofinish {
namespace {

constexpr std::size_t kMaxCalls = 1 << 16;
constexpr std::size_t kMaxFields = 64;  // an event's fields are one mask

}  // namespace

std::vector<std::uint8_t> encode_vocabulary() {
  std::vector<std::string> calls, fields;
  for (std::size_t i = 0; i < call_count(); ++i)
    calls.emplace_back(traits(static_cast<Call>(i)).name);
  for (std::size_t i = 0; i < kFieldCount; ++i)
    fields.emplace_back(traits(static_cast<Field>(i)).name);
  Size size;
  size(calls, fields);
  std::vector<std::uint8_t> bytes(size.bytes);
  Encoder out(bytes.data());
  Write{out}(calls, fields);
  bytes.resize(static_cast<std::size_t>(out.next() - bytes.data()));
  return bytes;
}

bool Vocabulary::decode(Decoder& in) {
  std::vector<std::string> fields;
  const auto read = [&](std::vector<std::string>& names, std::size_t most) {
    std::size_t left = in.length();
    if (left > most) in.fail("more names than there can be");
    for (; left > 0 && in.ok(); --left) Read{in}(names.emplace_back());
  };
  names_.clear();
  read(names_, kMaxCalls);
  read(fields, kMaxFields);
  if (in.ok() && !in.at_end()) in.fail("bytes behind the names");
  if (!in.ok()) return false;

  std::unordered_map<std::string_view, Field> known;
  for (std::size_t i = 0; i < kFieldCount; ++i)
    known.emplace(traits(static_cast<Field>(i)).name, static_cast<Field>(i));
  for (const std::string& name : names_) calls_.push_back(call_by_name(name));
  for (const std::string& name : fields) {
    const auto found = known.find(name);
    fields_.push_back(found == known.end() ? std::nullopt : std::optional(found->second));
  }
  return true;
}

std::optional<Call> Vocabulary::call(std::uint64_t index) const {
  return index < calls_.size() ? calls_[index] : std::nullopt;
}

std::string Vocabulary::call_name(std::uint64_t index) const {
  return index < names_.size() ? names_[index] : "number " + std::to_string(index);
}

std::optional<Field> Vocabulary::field(std::size_t bit) const {
  return bit < fields_.size() ? fields_[bit] : std::nullopt;
}

bool Vocabulary::has_current_numbers() const {
  for (std::size_t i = 0; i < calls_.size(); ++i)
    if (calls_[i] != static_cast<Call>(i)) return false;
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (fields_[i] != static_cast<Field>(i)) return false;
  return true;
}

}  // namespace photofinish
