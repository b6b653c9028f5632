// UPC to C: rewrites the tokens of a preprocessed UPC file to C that clang and the lowering pass
// understand.
//
//   shared [3] int a[9];       __attribute__((address_space(__upc_space((3)*sizeof(int))))) int
//   a[9]; shared void *p;            __upc_shared_void p; upc_forall (i; c; n; aff)  for (scope; …)
//   for (i; c; n) if (not mine(aff)) {} else upc_barrier 5;             __upc_barrier(1, 5);
//   &s.member                  __upc_member_address(s.member), a `shared []` pointer if s is shared
//
// Tokens keep their lines and columns. Names that begin with __upc_ are those of
// include/photofinish/upc/prelude.h.
//
// Limits: types are not known here. What depends on types is left to clang (_Generic in the
// prelude) or to the pass.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::upc {

struct RewriteOptions {
  std::optional<int> threads;  // static THREADS
};

struct RewriteError {
  std::string file;
  int line;
  int column;
  std::string text;
};

struct Rewritten {
  std::string text;
  std::vector<RewriteError> errors;
};

// `source` is the output of clang -E.
Rewritten rewrite(std::string_view source, const RewriteOptions& options);

}  // namespace photofinish::upc
