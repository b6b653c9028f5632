// The names of calls and fields as a trace uses them. Traces refer to both by position in these
// lists, so that a reader with other tables, older or newer, finds its own by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/event.h"
#include "trace/codec.h"

namespace photofinish {

std::vector<std::uint8_t> encode_vocabulary();

class Vocabulary {
 public:
  bool decode(Decoder& in);  // false: in.reason() tells
  std::optional<Call> call(std::uint64_t index) const;
  std::string call_name(
      std::uint64_t index) const;  // also of a call that this photofinish does not know
  std::optional<Field> field(std::size_t bit) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::optional<Call>> calls_;
  std::vector<std::optional<Field>> fields_;
};

}  // namespace photofinish
