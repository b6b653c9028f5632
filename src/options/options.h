// The options that a user can set, in PHOTOFINISH_OPTIONS or as flags. The table is options.def.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace photofinish {

struct Options {
#define OPTION(type, name, value, help) type name = value;
#include "options/options.def"
};

// "1.1x" or "1.1" as a number: more than 1, up to 100. Empty: 0.
Result<double> slowdown_of(std::string_view budget);

// A relative tolerance for numbers: 1e-9.
Result<double> tolerance_of(std::string_view text);

struct OptionInfo {
  std::string_view name;
  std::string_view type;  // "bool", "int" or "text"
  std::string default_value;
  std::string_view help;
  bool is_advanced = false;
};
std::vector<OptionInfo> option_table();

// The value of a text option that is given without one; empty: a value is required.
std::string_view value_alone(std::string_view name);

// All values of an option, if there is a fixed list.
std::vector<std::string> choices_of(std::string_view name);

// Sets an option by name; the Error says what is valid.
Result<bool> set_option(Options& options, std::string_view name, std::string_view value);
// name=value:name='value with : in it'; the name of a switch alone means 1.
Result<Options> parse_options(std::string_view text, Options from = {});
// The inverse: every option that is not at its default.
std::string format_options(const Options& options);

}  // namespace photofinish
