#include "made_up/meaning.h"

#include "made_up/calls.h"

namespace photofinish::made_up {
namespace {

constexpr Uid kArrayUid{1};

// Two reads do not conflict; everything else does. There are no atomics.
constexpr MemoryModel kModel = [] {
  MemoryModel model = kProcessMemory;
  model.name = "made up";
  return model;
}();

class MadeUp final : public Meaning {
 public:
  explicit MadeUp(Timeline& effects)
      : Meaning(effects),
        array_(effects.add_region({.uid = kArrayUid,
                                   .base = kArray,
                                   .size = kArrayBytes,
                                   .unit = 1,
                                   .model = &kModel,
                                   .accumulates = {}})) {
    effects.expose(kArrayUid, kArray, kArray + kArrayBytes);
  }

  void add(const Event& event, const Times& times) override {
    effects_.enter(event, times);
    if (effects_.program(event)) return;
    switch (static_cast<MadeUpCall>(static_cast<std::uint16_t>(event.call) - kFirstCall)) {
      case MadeUpCall::write_to:
        begin(event, AccessKind::Put);
        return;
      case MadeUpCall::read_from:
        effects_.complete_operation(array_, target_of(event), begin(event, AccessKind::Get),
                                    {.completeness = Completeness::Remote, .site = event.site});
        return;
      case MadeUpCall::settle:
        effects_.complete_all(array_, {.completeness = Completeness::Remote, .site = event.site});
        return;
      case MadeUpCall::meet:
        effects_.sync_point();
        return;
    }
  }

 private:
  static WorldRank target_of(const Event& event) { return event.fields.rank(Field::target); }
  std::uint64_t begin(const Event& event, AccessKind kind) {
    const std::uint64_t operation = effects_.next_operation();
    effects_.begin_target(array_, target_of(event), operation,
                          {.kind = kind, .fetches = kind == AccessKind::Get, .opened = {}}, event,
                          event.buffers.front());
    return operation;
  }

  Region& array_;
};

}  // namespace

std::unique_ptr<Meaning> meaning_of(Timeline& effects) { return std::make_unique<MadeUp>(effects); }

}  // namespace photofinish::made_up
