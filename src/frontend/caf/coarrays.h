// The coarrays of this image. Each is a region (WinDefinition) with the same uid on all images of
// the team that allocated it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/caf/abi.h"
#include "frontend/caf/images.h"
#include "frontend/caf/names.h"
#include "frontend/upc/positions.h"
#include "model/definitions.h"

namespace photofinish::caf {

enum class CoarrayKind { Data, Lock, Event };

struct Coarray {
  CoarrayKind kind{};
  WinDefinition region;
  std::uint64_t element = 0;   // bytes
  const Team* team = nullptr;  // that allocated it
  // Of an allocatable one: its variable until the coarray is described, then a copy of that:
  // move_alloc changes the variable.
  const Descriptor* variable = nullptr;
  std::optional<Descriptor> descriptor;
  std::uint64_t pointer = 0;  // of a static one: the address of its pointer; 0: unknown
  // Locks and events: a counter for each element, on each image. Locks count their turns, events
  // the units posted.
  MPI_Win counters = MPI_WIN_NULL;
  std::map<std::uint64_t, std::int64_t> taken;  // by element: units that this image has waited for
};

class Coarrays final : public upc::Positions {
 public:
  static Coarrays& get();

  Coarray& add(const void* token, RegisterType type, std::uint64_t bytes,
               const Descriptor& variable, Team& team);
  Coarray* find(const void* token);
  void remove(const void* token);
  // Fortran initializes static coarrays before execution begins, so the stores that initialize them
  // are not recorded: the memory is reachable from here on.
  bool has_initialized() const { return !initialized_.empty(); }
  void end_initialization();

  // Allocatable components of all coarrays are one region: their addresses on the image are its
  // displacements. `token` is that of the component.
  void start();
  WinId components() const { return components_.id; }
  struct Component {
    std::uint64_t begin = 0, bytes = 0;
  };
  void add_component(const void* token, const Component& component);
  // No bytes: it was not allocated.
  Component remove_component(const void* token);

  // Those of components are addresses.
  std::optional<std::uint64_t> position_of(std::uint64_t address) const override;
  std::uint64_t position_in(WinId region, std::uint64_t displacement) const override;

  // Coarrays whose names and bounds have not been recorded yet: they are known after the call that
  // registers them.
  bool has_undescribed() const { return !undescribed_.empty(); }
  std::vector<Coarray*> take_undescribed();

  // Collective over the current team, before a lock or event coarray is added, and after it is
  // removed. All images make these calls, even those on which the tool has failed.
  static void make_counters(const void* token, std::uint64_t count) noexcept;
  static void free_counters(const void* token) noexcept;  // if it has any
  // Adds 1 to the counter of an element on an image of the coarray's team; returns its value
  // before.
  static std::int64_t count(const Coarray& coarray, int image, std::uint64_t element);

 private:
  Coarrays() = default;
  std::unordered_map<const void*, Coarray> coarrays_;     // by token
  std::unordered_map<const void*, Component> allocated_;  // components, by token
  WinDefinition components_;
  std::vector<const void*> undescribed_;
  std::vector<const void*> initialized_;  // static ones that are not marked as reachable yet
  Names names_;
};

bool is_static(RegisterType type);
// The kind of a coarray: data, lock variables or event variables.
CoarrayKind kind_of(RegisterType type);

}  // namespace photofinish::caf
