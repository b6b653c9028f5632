// The names of calls and fields of a trace. Traces refer to both by position in these lists, so
// that an older or newer reader finds its own by name.
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
  bool decode(Decoder& in);  // false: see in.reason()
  std::optional<Call> call(std::uint64_t index) const;
  // Also for a call that this version does not know.
  std::string call_name(std::uint64_t index) const;
  std::optional<Field> field(std::size_t bit) const;
  // Whether calls and fields have the numbers of this version. A journal stores the numbers.
  bool has_current_numbers() const;

 private:
  std::vector<std::string> names_;
  std::vector<std::optional<Call>> calls_;
  std::vector<std::optional<Field>> fields_;
};

}  // namespace photofinish
