#include "group/z3_solver.h"

#include <z3++.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace photofinish::group {
namespace {

class Encoding {
 public:
  explicit Encoding(const Problem& problem)
      : problem_(problem), solver_(context_, logic_of(problem)), assumed_(context_) {
    for (std::size_t i = 0; i < problem.events.size(); ++i)
      positions_.push_back(context_.int_const(("p" + std::to_string(i)).c_str()));
    for (const auto& [first, second] : problem.order)
      solver_.add(positions_[first] < positions_[second]);
    for (std::size_t i = 0; i < problem.reads.size(); ++i) add_read(i);
  }

  Answer solve(double seconds) {
    z3::params params(context_);
    params.set("timeout", static_cast<unsigned>(std::clamp(seconds, 0.001, 4e6) * 1000));
    params.set("core.minimize", true);
    solver_.set(params);
    Answer answer;
    switch (solver_.check(assumed_)) {
      case z3::sat:
        answer.state = Answer::State::Explained;
        answer.schedule = schedule();
        break;
      case z3::unsat:
        answer.state = Answer::State::Unexplained;
        answer.reads = contradiction();
        break;
      default:
        answer.state = Answer::State::GaveUp;
        answer.reason =
            solver_.reason_unknown() == "timeout" || solver_.reason_unknown() == "canceled"
                ? "the time limit is over"
                : "z3 found no answer (" + solver_.reason_unknown() + ")";
    }
    return answer;
  }

 private:
  // Positions are compared only; sums need arithmetic.
  static const char* logic_of(const Problem& problem) {
    return std::any_of(problem.events.begin(), problem.events.end(),
                       [](const Event& event) {
                         return event.write == Event::Write::Add ||
                                event.write == Event::Write::Any;
                       })
               ? "QF_LIA"
               : "QF_IDL";
  }

  z3::expr number(std::int64_t value) { return context_.int_val(value); }

  // The value that a write leaves.
  z3::expr value_of(std::uint32_t write) {
    const Event& event = problem_.events[write];
    if (event.write == Event::Write::Set) return number(event.operand);
    return context_.int_const(("v" + std::to_string(write)).c_str());
  }

  void add_read(std::size_t index) {
    const Problem::Read& read = problem_.reads[index];
    const Event& event = problem_.events[read.event];
    const z3::expr assumed = context_.bool_const(("r" + std::to_string(index)).c_str());
    z3::expr_vector any(context_);
    for (std::size_t i = 0; i < read.sources.size(); ++i) {
      const Problem::Source& source = read.sources[i];
      const z3::expr taken =
          context_.bool_const(("s" + std::to_string(index) + "_" + std::to_string(i)).c_str());
      const z3::expr &from = positions_[source.write], &to = positions_[read.event];
      solver_.add(z3::implies(taken, from < to));
      for (const std::uint32_t other : source.others)
        solver_.add(!taken || positions_[other] < from || to < positions_[other]);
      if (event.reads && problem_.events[source.write].write != Event::Write::Set)
        solver_.add(z3::implies(taken, value_of(source.write) == number(*event.reads)));
      if (event.write == Event::Write::Add)
        solver_.add(z3::implies(
            taken, value_of(read.event) == value_of(source.write) + number(event.operand)));
      any.push_back(taken);
    }
    solver_.add(z3::implies(assumed, z3::mk_or(any)));
    number_of_[assumed.id()] = static_cast<std::uint32_t>(index);
    assumed_.push_back(assumed);
  }

  std::vector<std::uint32_t> schedule() {
    const z3::model model = solver_.get_model();
    std::vector<std::int64_t> at;
    for (const z3::expr& position : positions_) {
      std::int64_t value = 0;
      const z3::expr found = model.eval(position, true);
      if (!found.is_numeral_i64(value)) value = 0;
      at.push_back(value);
    }
    std::vector<std::uint32_t> order(at.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return at[a] < at[b]; });
    return order;
  }

  std::vector<std::uint32_t> contradiction() {
    std::vector<std::uint32_t> reads;
    const z3::expr_vector core = solver_.unsat_core();
    for (unsigned i = 0; i < core.size(); ++i)
      reads.push_back(number_of_.at(core[static_cast<int>(i)].id()));
    std::sort(reads.begin(), reads.end());
    return reads;
  }

  const Problem& problem_;
  z3::context context_;
  z3::solver solver_;
  z3::expr_vector assumed_;
  std::vector<z3::expr> positions_;
  std::map<unsigned, std::uint32_t> number_of_;  // of reads, by the id of what is assumed
};

}  // namespace

Answer solve_with_z3(const Problem& problem, double seconds) {
  try {
    return Encoding(problem).solve(seconds);
  } catch (const z3::exception& error) {
    return {.state = Answer::State::GaveUp, .reason = std::string("z3: ") + error.msg()};
  }
}

}  // namespace photofinish::group
