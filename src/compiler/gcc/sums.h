// Addresses and numbers as sums of what is invariant in a loop and what the loop computes.
#pragma once

#include "compiler/gcc/gcc.h"

namespace photofinish::gcc {

class Sum {
 public:
  // `narrows`: numbers may be cut to fewer bits. The sum then holds in so many bits.
  explicit Sum(class loop* loop, bool narrows = false);
  // Adds factor * value, with the value extended to 64 bits as its type says. False: too complex.
  bool add(tree value, std::int64_t factor = 1) { return add(value, factor, 0); }
  void add_constant(std::int64_t value);

  // Values that the loop loads or computes in other ways than by sums.
  struct Term {
    tree value = nullptr;
    std::int64_t factor = 0;
  };
  const std::vector<Term>& terms() const { return terms_; }
  std::int64_t factor_of(tree value) const;
  // The invariant part: a number in front of the loop.
  tree rest();
  std::optional<std::int64_t> constant_rest() const;

 private:
  bool add(tree value, std::int64_t factor, unsigned depth);
  bool add_operation(tree_code code, tree type, tree left, tree right, std::int64_t factor,
                     unsigned depth);
  bool add_converted(tree type, tree value, std::int64_t factor, unsigned depth);
  bool add_term(tree value, std::int64_t factor);

  class loop* loop_;
  bool narrows_;
  aff_tree rest_;
  std::vector<Term> terms_;
};

// The distance from one number to another, if it is constant.
std::optional<std::int64_t> distance_between(tree from, tree to);

}  // namespace photofinish::gcc
