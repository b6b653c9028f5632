#include "frontend/upc/shared_memory.h"

#include <dlfcn.h>

#include <algorithm>

#include "frontend/mpi/objects.h"
#include "runtime/reach.h"
#include "runtime/recorder.h"
#include "upc_runtime/statics.h"

namespace photofinish::upc {
namespace {

constexpr std::uint64_t kAllThreads = 3;  // a number of this set of ranks

CommId all_threads(std::uint64_t count) {
  std::vector<WorldRank> ranks;
  for (std::uint64_t i = 0; i < count; ++i) ranks.emplace_back(static_cast<std::int32_t>(i));
  return mpi::Objects::get().rank_set(ranks, kAllThreads, "all threads");
}

template <class T>
T variable(const char* name) {
  const void* const address = dlsym(RTLD_DEFAULT, name);
  return address != nullptr ? *static_cast<const T*>(address) : T{};
}

}  // namespace

SharedMemory& SharedMemory::get() {
  static auto* const memory = new SharedMemory;
  return *memory;
}

std::vector<SharedMemory::Layout> SharedMemory::start() {
  threads_ = static_cast<std::uint64_t>(variable<int>("__upc_threads"));
  own_thread_ = static_cast<std::uint64_t>(variable<int>("__upc_mythread"));
  segment_ = reinterpret_cast<std::uint64_t>(variable<char*>("__upc_segment"));
  using Visit = void(VisitStatic, void*);
  const auto visit = reinterpret_cast<Visit*>(dlsym(RTLD_DEFAULT, "__upc_visit_objects"));
  std::vector<Layout> layouts;
  if (visit == nullptr) return layouts;
  std::pair context(this, &layouts);
  visit(
      [](void* passed, const Static& one, std::uint64_t offset, std::uint64_t bytes) {
        const auto& [memory, all] = *static_cast<decltype(context)*>(passed);
        if (bytes == 0) return;
        Layout layout{memory->add(one.name, offset, bytes), one.element, one.block, {}};
        for (const std::uint64_t* extent = one.extents; extent != nullptr && *extent != 0; ++extent)
          layout.extents.push_back(static_cast<std::int64_t>(*extent));
        if (one.scaled != 0 && !layout.extents.empty())
          layout.extents.front() *= static_cast<std::int64_t>(memory->threads_);
        all->push_back(std::move(layout));
      },
      &context);
  std::sort(objects_.begin(), objects_.end(),
            [](const Object& a, const Object& b) { return a.begin < b.begin; });
  return layouts;
}

// A region's uid follows from its name. Static variables of several files may have the same: they
// are numbered, alike on all threads.
WinId SharedMemory::add(const std::string& name, std::uint64_t offset, std::uint64_t bytes) {
  const int number = ++names_[name];
  WinDefinition region;
  region.name = number == 1 ? name : name + " (" + std::to_string(number) + ")";
  region.flavour = WinFlavour::Symmetric;
  region.unified = true;
  region.base = segment_ + offset;
  region.size = bytes;
  region.comm = all_threads(threads_);
  mpi::Objects::get().add_region(region);
  objects_.push_back({offset, offset + bytes, region.id});
  end_ = std::max(end_, offset + bytes);
  if (Reach* reach = Reach::get()) reach->add_memory(region.base, region.base + bytes);
  return region.id;
}

SharedMemory::Place SharedMemory::find(std::uint64_t offset) const {
  const auto next = std::upper_bound(
      objects_.begin(), objects_.end(), offset,
      [](std::uint64_t value, const Object& object) { return value < object.begin; });
  if (next == objects_.begin() || offset >= std::prev(next)->end) return {};
  return {std::prev(next)->region, offset - std::prev(next)->begin};
}

std::optional<std::uint64_t> SharedMemory::position_of(std::uint64_t address) const {
  if (address < segment_ || address >= segment_ + end_) return std::nullopt;
  return address - segment_;
}

std::uint64_t SharedMemory::position_in(WinId region, std::uint64_t displacement) const {
  const auto found = std::find_if(objects_.begin(), objects_.end(),
                                  [&](const Object& object) { return object.region == region; });
  return displacement + (found != objects_.end() ? found->begin : 0);
}

}  // namespace photofinish::upc
