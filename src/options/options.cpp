#include "options/options.h"

#include <charconv>

namespace photofinish {
namespace {

bool parse(std::string_view text, bool& value) {
  if (text == "1" || text == "true" || text == "yes" || text == "on") return value = true, true;
  if (text == "0" || text == "false" || text == "no" || text == "off") return value = false, true;
  return false;
}
bool parse(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}
bool parse(std::string_view text, std::string& value) { return value = text, true; }

std::string format(bool value) { return value ? "1" : "0"; }
std::string format(int value) { return std::to_string(value); }
std::string format(const std::string& value) { return value; }

constexpr std::string_view type_name(const bool&) { return "bool"; }
constexpr std::string_view type_name(const int&) { return "int"; }
constexpr std::string_view type_name(const std::string&) { return "text"; }

std::string quoted(const std::string& value) {
  if (value.find_first_of(":'\" ") == std::string::npos) return value;
  const char quote = value.find('\'') == std::string::npos ? '\'' : '"';
  return quote + value + quote;
}

}  // namespace

Result<double> slowdown_of(std::string_view budget) {
  if (budget.empty()) return 0.0;
  const std::string_view number =
      budget.ends_with('x') ? budget.substr(0, budget.size() - 1) : budget;
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || !(value > 1 && value <= 100))
    return Error{"option budget: '" + std::string(budget) +
                 "' is not a slowdown: give a factor above 1 and up to 100, such as 1.1x"};
  return value;
}

Result<double> tolerance_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value < 1))
    return Error{"option tolerance: '" + std::string(text) +
                 "' is not a number from 0 to 1, such as 1e-9"};
  return value;
}

namespace {

struct Choices {
  std::string_view name;
  std::initializer_list<const char*> values;
};
constexpr std::initializer_list<const char*> kMpis = {"auto", "openmpi", "mpich"},
                                             kSwitch = {"off", "on"};
constexpr Choices kChoices[] = {{"mpi", kMpis}, {"sample", kSwitch}};

// "option mpi: 'x' is not auto, openmpi or mpich"
Result<bool> check_choice(std::string_view name, const std::string& value) {
  const std::vector<std::string> choices = choices_of(name);
  std::string list;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == value) return true;
    list += (i == 0 ? "" : i + 1 < choices.size() ? ", " : " or ") + choices[i];
  }
  return Error{"option " + std::string(name) + ": '" + value + "' is not " + list};
}

// Constraints that the types of the table cannot express.
Result<bool> check_values(const Options& options) {
  if (const auto chosen = check_choice("mpi", options.mpi); !chosen) return chosen;
  if (const auto chosen = check_choice("sample", options.sample); !chosen) return chosen;
  if (options.stack_depth < 1 || options.stack_depth > 128)
    return Error{"option stack_depth takes 1 to 128"};
  if (options.memory < 1) return Error{"option memory takes megabytes, 1 or more"};
  if (const auto slowdown = slowdown_of(options.budget); !slowdown) return slowdown.error();
  if (options.pause_ms < 1 || options.pause_ms > 60000)
    return Error{"option pause_ms takes 1 to 60000"};
  if (options.runs < 1 || options.runs > 1000) return Error{"option runs takes 1 to 1000"};
  if (options.deadlock_timeout < 0)
    return Error{"option deadlock_timeout takes seconds, 0 or more"};
  if (options.timeout < 0) return Error{"option timeout takes seconds, 0 or more"};
  if (options.time < 1) return Error{"option time takes seconds, 1 or more"};
  if (const auto tolerance = tolerance_of(options.tolerance); !tolerance) return tolerance.error();
  if (options.keep_env.find_first_of("= :'\"") != std::string::npos)
    return Error{"option keep_env: '" + options.keep_env +
                 "' takes names of environment variables, such as API_TOKEN,DB_KEY"};
  if (options.error_exitcode < 0 || options.error_exitcode > 255)
    return Error{"option error_exitcode takes 0 to 255"};
  if (options.max_findings < 0) return Error{"option max_findings takes 0 (all) or more"};
  if (options.output.find('\'') != std::string::npos &&
      options.output.find('"') != std::string::npos)
    return Error{
        "option output: a name with both single and double quotes cannot be passed to the ranks; "
        "choose another"};
  if (options.output.empty()) return Error{"option output is empty: give a directory name"};
  return true;
}

}  // namespace

std::string_view value_alone(std::string_view name) { return name == "keep_env" ? "*" : ""; }

std::vector<std::string> choices_of(std::string_view name) {
  for (const Choices& choices : kChoices)
    if (choices.name == name) return {choices.values.begin(), choices.values.end()};
  return {};
}

std::vector<OptionInfo> option_table() {
  const Options defaults;
  return {
#define OPTION(type, name, value, help) \
  {#name, type_name(defaults.name), format(defaults.name), help, false},
#define ADVANCED_OPTION(type, name, value, help) \
  {#name, type_name(defaults.name), format(defaults.name), help, true},
#include "options/options.def"
  };
}

Result<bool> set_option(Options& options, std::string_view name, std::string_view value) {
  bool known = false, parsed = false;
  std::string_view type;
#define OPTION(option_type, option_name, option_value, help) \
  if (name == #option_name) {                                \
    known = true;                                            \
    type = type_name(options.option_name);                   \
    parsed = parse(value, options.option_name);              \
  }
#include "options/options.def"
  if (!known)
    return Error{"there is no option '" + std::string(name) + "' (see photofinish --help)"};
  if (!parsed)
    return Error{"option " + std::string(name) + ": '" + std::string(value) + "' is not " +
                 (type == "bool" ? "1 or 0" : "a number")};
  return check_values(options);
}

// An unknown option counts as a switch: setting it then reports that it does not exist.
static bool is_switch(std::string_view name) {
  for (const OptionInfo& info : option_table())
    if (info.name == name) return info.type == "bool";
  return true;
}

Result<Options> parse_options(std::string_view text, Options options) {
  while (!text.empty()) {
    const std::size_t name_end = text.find_first_of("=:");
    const std::string_view name = text.substr(0, name_end);
    std::string_view value;
    bool given = false;
    text.remove_prefix(name_end == std::string_view::npos ? text.size() : name_end);
    if (!text.empty() && text.front() == '=') {
      given = true;
      text.remove_prefix(1);
      const char quote = text.empty() ? '\0' : text.front();
      if (quote == '\'' || quote == '"') {
        const std::size_t close = text.find(quote, 1);
        if (close == std::string_view::npos)
          return Error{"option " + std::string(name) + ": a quote is not closed"};
        value = text.substr(1, close - 1);
        text.remove_prefix(close + 1);
      } else {
        value = text.substr(0, text.find(':'));
        text.remove_prefix(value.size());
      }
    }
    if (!text.empty() && text.front() == ':') text.remove_prefix(1);
    if (name.empty()) continue;
    if (!given && is_switch(name))
      value = "1";
    else if (!given && !value_alone(name).empty())
      value = value_alone(name);
    else if (!given)
      return Error{"option " + std::string(name) + " needs a value: " + std::string(name) + "=…"};
    if (const auto set = set_option(options, name, value); !set) return set.error();
  }
  return options;
}

std::string format_options(const Options& options) {
  const Options defaults;
  std::string text;
#define OPTION(type, name, value, help) \
  if (options.name != defaults.name)    \
    text += std::string(text.empty() ? "" : ":") + #name "=" + quoted(format(options.name));
#include "options/options.def"
  return text;
}

}  // namespace photofinish
