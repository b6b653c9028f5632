// Statements and blocks that hooks consist of.
#pragma once

#include "compiler/gcc/accesses.h"

namespace photofinish::gcc {

inline tree number_type() { return long_unsigned_type_node; }
inline tree number(std::uint64_t value) { return build_int_cstu(number_type(), value); }

// The flags of the hook's number of bytes.
std::uint64_t how(const Access& access);
// A value for `expression`, computed by statements that are added to the sequence.
tree value_of(gimple_seq* sequence, tree expression);
tree assign(gimple_seq* sequence, tree expression);
// Inserts the sequence, and a branch to a new cold block, in front of `at`, and returns the block.
basic_block add_cold_block(gimple_stmt_iterator at, gimple_seq sequence, tree condition,
                           location_t location);
// A new block that continues at `next`.
basic_block add_block_behind(basic_block block, gimple_seq sequence, basic_block next);
// Ends a block that had a single successor.
void branch(basic_block block, tree condition, basic_block likely, basic_block otherwise);

}  // namespace photofinish::gcc
