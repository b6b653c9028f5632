#include "frontend/shmem/symmetric_memory.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/system_file.h"
#include "frontend/mpi/objects.h"
#include "frontend/mpi/stand_ins.h"
#include "frontend/shmem/pe_sets.h"
#include "photofinish/runtime_abi.h"
#include "replay/facts.h"
#include "replay/journaling.h"
#include "runtime/notes.h"
#include "runtime/reach.h"

namespace photofinish::shmem {
namespace {

struct Module {
  std::string path;
  bool is_program = false;
  std::uint64_t begin = 0, end = 0;  // its writable data, without what is read-only after loading
};

std::string directory_of(std::string_view path) {
  return std::string(path.substr(0, path.find_last_of('/') + 1));
}
std::string file_of(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

std::string program_path() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string("program");
}

int add_module(dl_phdr_info* info, std::size_t, void* modules) {
  auto& all = *static_cast<std::vector<Module>*>(modules);
  Module module{.path = info->dlpi_name, .is_program = all.empty()};
  if (module.is_program) module.path = program_path();
  std::uint64_t read_only = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const std::uint64_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_RELRO) read_only = begin + header.p_memsz;
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    if (module.end == 0) module.begin = begin;
    module.end = begin + header.p_memsz;
  }
  if (module.begin < read_only && read_only <= module.end) module.begin = read_only;
  all.push_back(std::move(module));
  return 0;
}

// The directories of the C library and of MPI: libraries there have no data that a program names.
std::vector<std::string> system_directories(const std::vector<Module>& modules) {
  std::vector<std::string> directories;
  for (const Module& module : modules)
    for (const char* const name :
         {"libc.so", "ld-linux", "liboshmem.so", "libmpi.so", "libphotofinish-"})
      if (file_of(module.path).starts_with(name)) directories.push_back(directory_of(module.path));
  return directories;
}

bool is_instrumented(const Module& module) {
  for (void* const state : noted(PHOTOFINISH_ABI)) {
    const auto address = reinterpret_cast<std::uint64_t>(state);
    if (module.begin <= address && address < module.end) return true;
  }
  return false;
}

bool may_be_symmetric(const Module& module, const std::vector<std::string>& system) {
  if (module.begin >= module.end || module.path.find('/') == std::string::npos) return false;
  if (module.is_program || is_instrumented(module)) return true;
  for (const std::string& directory : system)
    if (module.path.starts_with(directory)) return false;
  return true;
}

// Whether other PEs can write to its static data, in a library that replays know: those of the
// system are not even instrumented.
bool is_watched(const Module& module) {
  return module.begin < module.end && (module.is_program || is_instrumented(module));
}

std::vector<Module> loaded_modules() {
  std::vector<Module> modules;
  dl_iterate_phdr(add_module, &modules);
  return modules;
}

// On replay, memory of the recorded address.
void map_as_recorded(std::uint64_t address, std::uint64_t bytes) {
  if (mpi::map_at(address, bytes) != nullptr) return;
  say_line("cannot replay: the recorded address of symmetric memory is already in use");
  std::_Exit(70);
}

// The mapping that contains the address; only the address itself if there is none.
std::pair<std::uint64_t, std::uint64_t> mapping_of(std::uint64_t address) {
  const std::string maps = read_system_file("/proc/self/maps");
  for (std::size_t at = 0; at < maps.size();) {
    const std::size_t end = std::min(maps.find('\n', at), maps.size());
    unsigned long first = 0, last = 0;
    if (std::sscanf(maps.c_str() + at, "%lx-%lx", &first, &last) == 2 && first <= address &&
        address < last)
      return {first, last};
    at = end + 1;
  }
  return {address, address};
}

}  // namespace

SymmetricMemory& SymmetricMemory::get() {
  static auto* const memory = new SymmetricMemory;
  return *memory;
}

void SymmetricMemory::add(const std::string& name, std::uint64_t begin, std::uint64_t end) {
  const std::size_t count = count_.load(std::memory_order_relaxed);
  if (count == kMaxRegions) return;
  WinDefinition& region = regions_[count];
  region.name = name;
  region.flavour = WinFlavour::Symmetric;
  region.unified = true;
  region.base = begin;
  region.size = end - begin;
  region.comm = all_pes();
  mpi::Objects::get().add_region(region);
  count_.store(count + 1, std::memory_order_release);
}

void SymmetricMemory::keep_static_data() {
  for (const Module& module : loaded_modules())
    if (is_watched(module))
      static_data_[module.begin].assign(reinterpret_cast<const std::uint8_t*>(module.begin),
                                        reinterpret_cast<const std::uint8_t*>(module.end));
}

void SymmetricMemory::start() {
  const std::vector<Module> modules = loaded_modules();
  const std::vector<std::string> system = system_directories(modules);
  std::lock_guard lock(mutex_);
  for (const Module& module : modules) {
    if (!may_be_symmetric(module, system)) continue;
    // A replayed rank has other libraries, since its OpenSHMEM is not started.
    if (Journaling::get() != nullptr && !is_watched(module)) continue;
    add("static data of " + file_of(module.path), module.begin, module.end);
    if (Reach* reach = Reach::get()) reach->add_memory(module.begin, module.end);
    if (Journaling::get() != nullptr) watch_static_data(module.begin, module.end);
  }
  static_data_.clear();
}

// Without the state of the pass, which is the tool's own.
void SymmetricMemory::watch_static_data(std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint64_t> states;
  for (void* const state : noted(PHOTOFINISH_ABI))
    states.push_back(reinterpret_cast<std::uint64_t>(state));
  std::sort(states.begin(), states.end());
  const std::vector<std::uint8_t>& known = static_data_[begin];
  const auto watch = [&](std::uint64_t first, std::uint64_t last) {
    Journaling::get()->watch_known(begin, reinterpret_cast<void*>(first),
                                   known.data() + (first - begin), last - first);
  };
  std::uint64_t at = begin;
  for (const std::uint64_t state : states) {
    if (state < at || state >= end) continue;
    watch(at, state);
    at = state + sizeof(photofinish_state);
  }
  watch(at, end);
}

const WinDefinition* SymmetricMemory::region_of(const void* address) const {
  const auto where = reinterpret_cast<std::uint64_t>(address);
  const std::size_t count = count_.load(std::memory_order_acquire);
  for (std::size_t i = count; i-- > 0;)  // the heap is used most
    if (where - regions_[i].base < regions_[i].size) return &regions_[i];
  return nullptr;
}

SymmetricMemory::Place SymmetricMemory::find(const void* address) const {
  const WinDefinition* const region = region_of(address);
  if (region == nullptr) return {};
  return {region->id, reinterpret_cast<std::uint64_t>(address) - region->base};
}

// Above all addresses of programs.
std::int64_t SymmetricMemory::common_address(WinId region, std::uint64_t displacement) const {
  constexpr std::uint64_t kRegions = 0x7fff;
  const std::size_t count = count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i)
    if (regions_[i].id == region)
      return static_cast<std::int64_t>(((regions_[i].uid.value % kRegions + 1) << 48) +
                                       displacement);
  return 0;
}

std::optional<SymmetricMemory::Shared> SymmetricMemory::shared(std::int64_t address,
                                                               WorldRank own) const {
  if (const Place place = find(reinterpret_cast<const void*>(address)); place.region != WinId(0))
    return Shared{own, common_address(place.region, place.displacement)};
  const std::size_t count = count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i)
    for (const WinSegment& segment : regions_[i].segments)
      if (static_cast<std::uint64_t>(address) - segment.address < segment.size)
        return Shared{
            segment.owner,
            common_address(regions_[i].id, static_cast<std::uint64_t>(address) - segment.address)};
  return std::nullopt;
}

bool SymmetricMemory::has_segments() const {
  const std::size_t count = count_.load(std::memory_order_acquire);
  return std::any_of(regions_.begin(), regions_.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const WinDefinition& region) { return !region.segments.empty(); });
}

void SymmetricMemory::allocated(Task& task, void* block, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(block);
  Journaling* const journaling = Journaling::get();
  std::lock_guard lock(mutex_);
  if (journaling != nullptr && journaling->replays()) map_as_recorded(begin, bytes);
  if (region_of(block) == nullptr) {
    std::pair<std::uint64_t, std::uint64_t> heap;
    if (!facts_are_given()) heap = mapping_of(begin);
    keep_facts(heap.first, heap.second);
    ++heaps_;
    add(heaps_ == 1 ? "symmetric heap" : "symmetric heap " + std::to_string(heaps_), heap.first,
        std::max(heap.second, begin + bytes));
  }
  blocks_[begin] = bytes;
  if (Reach* reach = Reach::get()) reach->add_memory(begin, begin + bytes);
  if (journaling == nullptr) return;
  journaling->watch(task, begin, block, bytes);
  if (const WinDefinition* const region = region_of(block))
    for (const WinSegment& segment : region->segments) watch_block(task, begin, bytes, segment);
}

std::size_t SymmetricMemory::freed(const void* block) {
  std::lock_guard lock(mutex_);
  const auto begin = reinterpret_cast<std::uint64_t>(block);
  const auto found = blocks_.find(begin);
  if (found == blocks_.end()) return 0;
  const std::size_t bytes = found->second;
  blocks_.erase(found);
  if (Reach* reach = Reach::get()) reach->remove_memory(begin, begin + bytes);
  if (Journaling* const journaling = Journaling::get()) journaling->unwatch(begin);
  return bytes;
}

// The same block of another PE, in its segment.
void SymmetricMemory::watch_block(Task& task, std::uint64_t block, std::size_t bytes,
                                  const WinSegment& segment) {
  const std::uint64_t there =
      segment.address + (block - region_of(reinterpret_cast<const void*>(block))->base);
  Journaling* const journaling = Journaling::get();
  if (journaling->replays()) map_as_recorded(there, bytes);
  journaling->watch(task, block, reinterpret_cast<void*>(there), bytes);
}

void SymmetricMemory::mapped(Task& task, const void* symmetric, int pe, const void* here) {
  std::lock_guard lock(mutex_);
  const WinDefinition* const found = region_of(symmetric);
  if (found == nullptr) return;
  WinDefinition& region = regions_[static_cast<std::size_t>(found - regions_.data())];
  const std::uint64_t displacement = reinterpret_cast<std::uint64_t>(symmetric) - region.base;
  const WinSegment segment{WorldRank(pe), reinterpret_cast<std::uint64_t>(here) - displacement,
                           region.size};
  for (const WinSegment& known : region.segments)
    if (known == segment) return;
  region.segments.push_back(segment);
  mpi::Objects::get().change_region(region);
  if (Reach* reach = Reach::get())
    reach->add_memory(segment.address, segment.address + segment.size);
  if (Journaling::get() == nullptr) return;
  for (const auto& [block, bytes] : blocks_)
    if (block - region.base < region.size) watch_block(task, block, bytes, segment);
}

}  // namespace photofinish::shmem
