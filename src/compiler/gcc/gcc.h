// GCC's headers, in the order that they need. Standard headers come first: GCC's poison some names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

// clang-format off
#include <gcc-plugin.h>
#include <plugin-version.h>
#include <tree.h>
#include <gimple.h>
#include <tree-pass.h>
#include <ssa.h>
#include <cgraph.h>
#include <attribs.h>
#include <builtins.h>
#include <calls.h>
#include <cfganal.h>
#include <cfghooks.h>
#include <cfgloop.h>
#include <cfgloopmanip.h>
#include <context.h>
#include <diagnostic-core.h>
#include <fold-const.h>
#include <gimple-fold.h>
#include <gimple-iterator.h>
#include <gimplify.h>
#include <gimplify-me.h>
#include <internal-fn.h>
#include <memmodel.h>
#include <output.h>
#include <stor-layout.h>
#include <stringpool.h>
#include <tree-affine.h>
#include <tree-cfg.h>
#include <tree-dfa.h>
#include <tree-eh.h>
#include <tree-into-ssa.h>
#include <tree-pretty-print.h>
#include <tree-scalar-evolution.h>
#include <tree-ssa-address.h>
#include <tree-ssa-alias.h>
#include <tree-ssa-loop.h>
#include <tree-ssa-loop-ivopts.h>
#include <tree-ssa-loop-manip.h>
#include <tree-ssa-loop-niter.h>
#include <varasm.h>
// clang-format on
