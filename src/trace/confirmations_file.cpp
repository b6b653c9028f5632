#include "trace/confirmations_file.h"

#include <unistd.h>

#include "trace/findings_file.h"
#include "trace/sealed_file.h"

namespace photofinish {
namespace {

constexpr char kMagic[8] = {'P', 'H', 'O', 'T', 'O', 'C', 'N', '4'};
std::string path_in(const std::string& directory) {
  return directory + "/" + std::string(kConfirmationsFile);
}

}  // namespace

template <class A>
void describe(A& a, CountedOutcome& d) {
  a(d.text, d.times);
}
template <class A>
void describe(A& a, OrderTried& d) {
  a(d.name, d.runs, d.observed, d.forced, d.optional, d.ranks, d.arrivals, d.outcome, d.outcomes);
}
template <class A>
void describe(A& a, Confirmation& d) {
  a(d.key, d.state, d.orders, d.every, d.meetings, d.one_of_several, d.only_exit_codes, d.control,
    d.reached[0], d.reached[1], d.difference);
}

Result<std::vector<Confirmation>> read_confirmations(const std::string& directory) {
  if (access(path_in(directory).c_str(), F_OK) != 0) return std::vector<Confirmation>();
  return read_sealed_value<std::vector<Confirmation>>(path_in(directory), kMagic);
}

Result<bool> write_confirmations(const std::string& directory,
                                 const std::vector<Confirmation>& confirmations) {
  return write_sealed(path_in(directory), kMagic, encoded(confirmations));
}

}  // namespace photofinish
