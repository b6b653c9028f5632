#include "model/event.h"

namespace photofinish {

const FieldTraits& traits(Field field) {
  static constexpr FieldTraits kTraits[] = {
#define FIELD(name, kind, label) {#name, FieldKind::kind, label},
#include "model/fields.def"
  };
  return kTraits[static_cast<std::size_t>(field)];
}

}  // namespace photofinish
