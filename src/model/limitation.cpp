#include "model/limitation.h"

namespace photofinish {
namespace {

struct Row {
  std::string_view id;
  bool unexpected;
};
constexpr Row kRows[] = {
#define LIMITATION(kind, id, unexpected) {id, unexpected},
#include "model/limitations.def"
};

}  // namespace

std::string_view limitation_id(LimitationKind kind) {
  return kRows[static_cast<std::size_t>(kind)].id;
}
bool is_unexpected(LimitationKind kind) { return kRows[static_cast<std::size_t>(kind)].unexpected; }

}  // namespace photofinish
