#include "frontend/caf/coarrays.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "frontend/caf/interception.h"
#include "frontend/mpi/objects.h"
#include "runtime/reach.h"

namespace photofinish::caf {
namespace {

// The library stores a lock or an event in 4 bytes.
constexpr std::uint64_t kVariableBytes = 4;

// A window of counters starts with this on each image: an image on which the tool has failed can
// allocate nothing.
struct Counters {
  const void* token;
  MPI_Win win;
  Counters* next;
};
constexpr std::uint64_t kHeader = sizeof(Counters) / sizeof(std::int64_t);
Counters* g_counters = nullptr;

MPI_Win counters_of(const void* token) {
  for (const Counters* one = g_counters; one != nullptr; one = one->next)
    if (one->token == token) return one->win;
  return MPI_WIN_NULL;
}

// A descriptor ends behind the dimensions that exist.
Descriptor copy_of(const Descriptor& descriptor) {
  Descriptor copy{};
  const int rank = std::clamp<int>(descriptor.dtype.rank, 0, 15);
  std::memcpy(
      static_cast<void*>(&copy), &descriptor,
      offsetof(Descriptor, dimensions) + sizeof(Dimension) * static_cast<std::size_t>(rank));
  return copy;
}

// Images have a coarray at different addresses. So its position follows from its identity: one bit
// that no address has, 24 bits of the identity, and the displacement.
std::uint64_t position_of_region(const WinDefinition& region) {
  return std::uint64_t{1} << 62 | region.uid.value >> 40 << 38;
}

std::string identity_text(Team& team) {
  return "coarray " + std::to_string(++team.registered) + " of " + std::to_string(team.identity);
}

}  // namespace

bool is_static(RegisterType type) {
  return type == RegisterType::Static || type == RegisterType::LockStatic ||
         type == RegisterType::EventStatic || type == RegisterType::Critical;
}

CoarrayKind kind_of(RegisterType type) {
  switch (type) {
    case RegisterType::LockStatic:
    case RegisterType::LockAllocatable:
    case RegisterType::Critical:
      return CoarrayKind::Lock;
    case RegisterType::EventStatic:
    case RegisterType::EventAllocatable:
      return CoarrayKind::Event;
    default:
      return CoarrayKind::Data;
  }
}

Coarrays& Coarrays::get() {
  static auto* const coarrays = new Coarrays;
  return *coarrays;
}

Coarray& Coarrays::add(const void* token, RegisterType type, std::uint64_t bytes,
                       const Descriptor& variable, Team& team) {
  Coarray& coarray = coarrays_[token] = {};
  coarray.kind = kind_of(type);
  coarray.team = &team;
  coarray.element = coarray.kind == CoarrayKind::Data ? variable.dtype.element : kVariableBytes;
  if (!is_static(type)) coarray.variable = &variable;
  WinDefinition& region = coarray.region;
  region.name = identity_text(team);  // its uid follows from it
  region.flavour = WinFlavour::Symmetric;
  region.unified = true;
  region.base = reinterpret_cast<std::uint64_t>(variable.base);
  region.size = coarray.kind == CoarrayKind::Data ? bytes : bytes * kVariableBytes;
  region.comm = team.set;
  mpi::Objects::get().add_region(region);
  if (coarray.kind == CoarrayKind::Data) {
    initialized_.push_back(token);
    if (!is_static(type)) end_initialization();
  } else {
    coarray.counters = counters_of(token);
  }
  undescribed_.push_back(token);
  return coarray;
}

Coarray* Coarrays::find(const void* token) {
  const auto found = coarrays_.find(token);
  return found != coarrays_.end() ? &found->second : nullptr;
}

void Coarrays::remove(const void* token) {
  const auto found = coarrays_.find(token);
  if (found == coarrays_.end()) return;
  std::erase(undescribed_, token);
  const bool is_marked = std::erase(initialized_, token) == 0;
  Coarray& coarray = found->second;
  if (Reach* const reach = Reach::get();
      reach != nullptr && coarray.kind == CoarrayKind::Data && is_marked && coarray.region.size > 0)
    reach->remove_memory(coarray.region.base, coarray.region.base + coarray.region.size);
  coarrays_.erase(found);
}

void Coarrays::end_initialization() {
  for (const void* const token : std::exchange(initialized_, {})) {
    const WinDefinition& region = coarrays_.at(token).region;
    if (Reach* const reach = Reach::get(); reach != nullptr && region.size > 0)
      reach->add_memory(region.base, region.base + region.size);
  }
}

void Coarrays::start() {
  components_.name = "allocatable components";
  components_.flavour = WinFlavour::Symmetric;
  components_.unified = true;
  components_.comm = Images::get().initial().set;
  mpi::Objects::get().add_region(components_);
}

void Coarrays::add_component(const void* token, const Component& component) {
  allocated_[token] = component;
  if (Reach* const reach = Reach::get(); reach != nullptr && component.bytes > 0)
    reach->add_memory(component.begin, component.begin + component.bytes);
}

Coarrays::Component Coarrays::remove_component(const void* token) {
  const auto found = allocated_.find(token);
  if (found == allocated_.end()) return {};
  const Component component = found->second;
  allocated_.erase(found);
  if (Reach* const reach = Reach::get(); reach != nullptr && component.bytes > 0)
    reach->remove_memory(component.begin, component.begin + component.bytes);
  return component;
}

std::optional<std::uint64_t> Coarrays::position_of(std::uint64_t address) const {
  for (const auto& [token, coarray] : coarrays_)
    if (const WinDefinition& region = coarray.region;
        coarray.kind == CoarrayKind::Data && address - region.base < region.size)
      return position_of_region(region) + (address - region.base);
  return std::nullopt;
}

std::uint64_t Coarrays::position_in(WinId id, std::uint64_t displacement) const {
  for (const auto& [token, coarray] : coarrays_)
    if (coarray.region.id == id) return position_of_region(coarray.region) + displacement;
  return displacement;
}

std::vector<Coarray*> Coarrays::take_undescribed() {
  std::vector<Coarray*> all;
  for (const void* const token : std::exchange(undescribed_, {}))
    if (Coarray* const coarray = find(token)) {
      if (coarray->variable != nullptr) {
        coarray->region.name = names_.at(reinterpret_cast<std::uint64_t>(coarray->variable));
        coarray->descriptor = copy_of(*coarray->variable);
        coarray->variable = nullptr;
      } else {
        Names::Pointer pointer = names_.pointing_to(coarray->region.base);
        coarray->region.name = std::move(pointer.name);
        coarray->pointer = pointer.address;
      }
      mpi::Objects::get().change_region(coarray->region);
      all.push_back(coarray);
    }
  return all;
}

void Coarrays::make_counters(const void* token, std::uint64_t count) noexcept {
  const MPI_Comm comm = Images::communicator();
  void* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  const auto bytes = static_cast<MPI_Aint>((kHeader + count) * sizeof(std::int64_t));
  REAL(PMPI_Win_allocate)
  (bytes, sizeof(std::int64_t), MPI_INFO_NULL, comm, static_cast<void*>(&memory), &win);
  std::memset(memory, 0, static_cast<std::size_t>(bytes));
  g_counters = new (memory) Counters{token, win, g_counters};
  REAL(PMPI_Win_lock_all)(MPI_MODE_NOCHECK, win);
  REAL(PMPI_Win_sync)(win);
  REAL(PMPI_Barrier)(comm);
}

void Coarrays::free_counters(const void* token) noexcept {
  for (Counters** one = &g_counters; *one != nullptr; one = &(*one)->next) {
    if ((*one)->token != token) continue;
    MPI_Win win = (*one)->win;
    *one = (*one)->next;
    REAL(PMPI_Win_unlock_all)(win);
    REAL(PMPI_Win_free)(&win);
    return;
  }
}

std::int64_t Coarrays::count(const Coarray& coarray, int image, std::uint64_t element) {
  const std::int64_t one = 1;
  std::int64_t before = 0;
  REAL(PMPI_Fetch_and_op)
  (&one, &before, MPI_INT64_T, image - 1, static_cast<MPI_Aint>(kHeader + element), MPI_SUM,
   coarray.counters);
  REAL(PMPI_Win_flush)(image - 1, coarray.counters);
  return before;
}

// An event for each: element size, and pairs of lower bound and extent. Those of a static coarray
// are in the debug information of its pointer.
void Interception::describe_coarrays() {
  std::vector<Coarray*> coarrays;
  finish([&] { coarrays = Coarrays::get().take_undescribed(); });
  for (const Coarray* const coarray : coarrays)
    also(CafCall::caf_layout, [&](Context& c) {
      c.event.fields.set(Field::win, coarray->region.id);
      c.event.fields.set(Field::size, static_cast<std::int64_t>(coarray->element));
      if (coarray->pointer != 0)
        c.event.fields.set(Field::address, static_cast<std::int64_t>(coarray->pointer));
      if (!coarray->descriptor) return;
      const Descriptor& array = *coarray->descriptor;
      std::int64_t bytes = static_cast<std::int64_t>(coarray->element);
      std::vector<std::int64_t> bounds;
      for (int i = 0; i < array.dtype.rank && i < 15; ++i) {
        bounds.push_back(array.dimensions[i].lower);
        bounds.push_back(array.dimensions[i].extent());
        bytes *= bounds.back();
      }
      if (bytes == static_cast<std::int64_t>(coarray->region.size)) c.event.numbers = bounds;
    });
}

}  // namespace photofinish::caf
