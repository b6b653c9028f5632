// Coarrays and allocatable components: where they are, as long as they exist.
#include "frontend/caf/interception.h"

using photofinish::caf::Descriptor;

CAF_ENTRY void _gfortran_caf_register(std::size_t bytes, int type, void** token,
                                      Descriptor* variable, int* stat, char* message,
                                      std::size_t length);
CAF_ENTRY void _gfortran_caf_deregister(void** token, int type, int* stat, char* message,
                                        std::size_t length);

namespace photofinish::caf {
namespace {

constexpr int kDeallocateOnly = 1;  // the component stays

void describe_coarray(Context& c, const Coarray& coarray) {
  c.event.fields.set(Field::win, coarray.region.id);
  c.event.fields.set(Field::address, static_cast<std::int64_t>(coarray.region.base));
  c.event.fields.set(Field::size, static_cast<std::int64_t>(coarray.region.size));
}

void describe_component(Context& c, const Coarrays::Component& component) {
  c.event.fields.set(Field::win, Coarrays::get().components());
  c.event.fields.set(Field::address, static_cast<std::int64_t>(component.begin));
  c.event.fields.set(Field::size, static_cast<std::int64_t>(component.bytes));
}

}  // namespace

CAF_ENTRY void _gfortran_caf_register(std::size_t bytes, int type, void** token,
                                      Descriptor* variable, int* stat, char* message,
                                      std::size_t length) {
  const CallSite call_site = CALL_SITE;
  ensure_started(call_site);
  const auto kind = static_cast<RegisterType>(type);
  Interception call(call_site, is_static(kind) || kind == RegisterType::ComponentOnly);
  const auto made = [&] {
    CAF_REAL(register)(bytes, type, token, variable, stat, message, length);
    const bool works = stat == nullptr || *stat == 0;
    if (call.is_outermost() && kind_of(kind) != CoarrayKind::Data && works)
      Coarrays::make_counters(*token, bytes);
  };
  if (!call.records()) return made();
  if (kind == RegisterType::ComponentOnly) return made();
  if (kind == RegisterType::ComponentAllocate) {
    const auto describe = [&](Context& c) {
      set_result(c, stat);
      if (c.event.result != 0) return;
      const Coarrays::Component component{reinterpret_cast<std::uint64_t>(variable->base), bytes};
      Coarrays::get().add_component(*token, component);
      describe_component(c, component);
    };
    // A confirming run describes other calls before they are made.
    return call.is_steered()
               ? call.waiting(CafCall::caf_register_component, kNothing, made, describe)
               : call.returning(CafCall::caf_register_component, made, describe);
  }
  Team& team = Images::get().current();
  call.waiting(
      CafCall::caf_register, [&](Context& c) { set_team(c, team); }, made,
      [&](Context& c) {
        set_result(c, stat);
        if (c.event.result != 0) return;
        describe_coarray(c, Coarrays::get().add(*token, kind, bytes, *variable, team));
      });
}

// The images wait for each other before the memory is freed.
CAF_ENTRY void _gfortran_caf_deregister(void** token, int type, int* stat, char* message,
                                        std::size_t length) {
  Interception call(CALL_SITE);
  const void* const handle = token != nullptr ? *token : nullptr;
  const auto made = [&] {
    if (type != kDeallocateOnly) Coarrays::free_counters(handle);
    CAF_REAL(deregister)(token, type, stat, message, length);
  };
  if (call.records() && Coarrays::get().find(handle) == nullptr)
    if (const Coarrays::Component component = Coarrays::get().remove_component(handle);
        component.bytes > 0)
      return call.returning(CafCall::caf_deregister_component, made,
                            [&](Context& c) { describe_component(c, component); });
  Coarray* const coarray = call.records() ? Coarrays::get().find(handle) : nullptr;
  if (coarray == nullptr || type == kDeallocateOnly) return made();
  call.waiting(
      CafCall::caf_deregister,
      [&](Context& c) {
        set_team(c, Images::get().current());
        describe_coarray(c, *coarray);
        Coarrays::get().remove(handle);
      },
      made, [&](Context& c) { set_result(c, stat); });
}

}  // namespace photofinish::caf
