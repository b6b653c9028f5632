#include "runtime/sites.h"

#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/carried.h"
#include "runtime/python_frames.h"
#include "runtime/turns.h"
#include "trace/writer.h"

namespace photofinish {
namespace {

struct Unwinding {
  std::uint64_t first_pc;
  std::size_t depth;
  bool found = false;
  std::vector<std::uint64_t> pcs;
  std::vector<std::uint64_t> stack_pointers;  // of each frame at its call
};

_Unwind_Reason_Code visit_frame(_Unwind_Context* context, void* argument) {
  Unwinding& walk = *static_cast<Unwinding*>(argument);
  const std::uint64_t pc = _Unwind_GetIP(context);
  if (!walk.found && pc != walk.first_pc) return _URC_NO_REASON;  // frames of the tool
  walk.found = true;
  if (pc == 0) return _URC_END_OF_STACK;
  const std::uint64_t stack_pointer = _Unwind_GetCFA(context);
  // Wrong unwind tables (of assembly, as in OpenMP's runtime) lead from a frame to itself.
  if (!walk.pcs.empty() && pc == walk.pcs.back() && stack_pointer <= walk.stack_pointers.back())
    return _URC_END_OF_STACK;
  walk.pcs.push_back(pc);
  walk.stack_pointers.push_back(stack_pointer);
  // One frame more than is stored: it bounds the search in the last one.
  return walk.pcs.size() > walk.depth ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// Arm may sign return addresses in the upper bits.
std::uint64_t plain_address(std::uint64_t word) {
#if defined(__aarch64__)
  return word & 0x0000ffffffffffffull;
#else
  return word;
#endif
}

// Limits the search in a frame with a huge local array.
constexpr std::size_t kMaxFrameWords = 1 << 20;

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  std::string text;
  char two[3];
  for (std::size_t i = 0; i < size; ++i) {
    std::snprintf(two, sizeof two, "%02x", bytes[i]);
    text += two;
  }
  return text;
}

std::string build_id(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* next = reinterpret_cast<const char*>(info.dlpi_addr + segment.p_vaddr);
    const char* const end = next + segment.p_memsz;
    while (next + sizeof(ElfW(Nhdr)) <= end) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(next);
      const char* name = next + sizeof *note;
      const char* content = name + ((note->n_namesz + 3) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0)
        return hexadecimal(reinterpret_cast<const unsigned char*>(content), note->n_descsz);
      next = content + ((note->n_descsz + 3) & ~3u);
    }
  }
  return "";
}

std::string program_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

struct ModuleLookup {
  std::uint64_t pc;
  bool found = false;
  ModuleDefinition module;
  Carried carried;
};

int visit_module(dl_phdr_info* info, std::size_t, void* argument) {
  ModuleLookup& lookup = *static_cast<ModuleLookup*>(argument);
  return lookup.carried.run(
      [&] {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const std::uint64_t start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || lookup.pc < start ||
              lookup.pc >= start + segment.p_memsz)
            continue;
          lookup.found = true;
          lookup.module.path = info->dlpi_name[0] != '\0' ? info->dlpi_name : program_path();
          lookup.module.base = info->dlpi_addr;
          lookup.module.build_id = build_id(*info);
          return 1;
        }
        return 0;
      },
      1);
}

std::optional<ModuleDefinition> module_at(std::uint64_t pc) {
  ModuleLookup lookup{.pc = pc, .module = {}, .carried = {}};
  dl_iterate_phdr(visit_module, &lookup);
  lookup.carried.rethrow();
  if (!lookup.found) return std::nullopt;
  return lookup.module;
}

bool same_module(const ModuleDefinition& one, const ModuleDefinition& other) {
  return one.base == other.base && one.path == other.path &&
         one.script_function == other.script_function;
}

}  // namespace

SiteCache::SiteCache(SiteTable& table) : table_(table), buckets_(kBuckets) {}

SiteId SiteCache::walk(std::uint64_t pc, std::uint64_t frame) {
  Unwinding walk{.first_pc = pc, .depth = static_cast<std::size_t>(table_.depth())};
  // Reserved in advance, since nothing may be thrown through the unwinder.
  walk.pcs.reserve(walk.depth + 1);
  walk.stack_pointers.reserve(walk.depth + 1);
  _Unwind_Backtrace(visit_frame, &walk);
  if (walk.pcs.empty()) walk.pcs.push_back(pc);  // code without unwind tables

  if (stacks_.size() >= kMaxStacks) {
    std::fill(buckets_.begin(), buckets_.end(), nullptr);
    stacks_.clear();
  }
  auto stack = std::make_unique<Stack>();
  stack->pc = pc;
  stack->frame = frame;
  for (std::size_t i = 0; i + 1 < walk.stack_pointers.size(); ++i) {
    const auto* word = reinterpret_cast<const std::uint64_t*>(walk.stack_pointers[i]);
    const auto* end = reinterpret_cast<const std::uint64_t*>(walk.stack_pointers[i + 1]);
    const std::uint64_t caller = plain_address(walk.pcs[i + 1]);
    // All matches: one of them is the slot, the others can only cause a false miss.
    for (std::size_t n = 0; word < end && n < kMaxFrameWords; ++word, ++n)
      if (plain_address(*word) == caller) stack->slots.push_back({word, *word});
  }
  if (walk.pcs.size() > walk.depth) walk.pcs.resize(walk.depth);
  stack->site = table_.intern(walk.pcs);
  Stack*& head = buckets_[bucket(pc, frame)];
  stack->next = head;
  head = stack.get();
  stacks_.push_back(std::move(stack));
  return head->site;
}

SiteId SiteCache::find_call(std::uint64_t pc, std::uint64_t frame) {
  const SiteId site = find(pc, frame);
  const PythonFrames* const python = PythonFrames::get();
  // Threads of a recorded rank take turns, and a turn must not wait for the interpreter's lock.
  if (python == nullptr || Turns::active()) [[likely]]
    return site;
  const std::vector<ScriptFrame> script = python->read(static_cast<std::size_t>(table_.depth()));
  return script.empty() ? site : table_.with_script(site, script);
}

struct SiteTable::State {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, SiteId> sites;  // by the hash of their addresses
  std::vector<ModuleDefinition> modules;
  // Of programs with an interpreter.
  std::unordered_map<SiteId, std::vector<SiteFrame>> frames;

  ModuleId module(TraceWriter& writer, ModuleDefinition wanted) {
    const auto known =
        std::find_if(modules.begin(), modules.end(),
                     [&](const ModuleDefinition& module) { return same_module(module, wanted); });
    if (known != modules.end()) return known->id;
    wanted.id = ModuleId(static_cast<std::uint32_t>(modules.size() + 1));
    writer.define(DefinitionKind::Module, wanted);
    modules.push_back(std::move(wanted));
    return modules.back().id;
  }
};

SiteTable::SiteTable(TraceWriter& writer, int depth)
    : writer_(writer), depth_(depth), state_(new State) {}
SiteTable::~SiteTable() = default;

SiteId SiteTable::intern(const std::vector<std::uint64_t>& pcs) {
  const std::uint64_t hash = XXH3_64bits(pcs.data(), pcs.size() * sizeof pcs[0]);
  std::lock_guard lock(state_->mutex);
  const auto [entry, fresh] =
      state_->sites.emplace(hash, SiteId(static_cast<std::uint32_t>(state_->sites.size() + 1)));
  if (!fresh) return entry->second;

  SiteDefinition site{.id = entry->second, .frames = {}};
  for (const std::uint64_t pc : pcs) {
    const auto module = module_at(pc);
    if (!module)  // generated code
      site.frames.push_back({ModuleId(0), pc});
    else
      site.frames.push_back({state_->module(writer_, *module), pc - module->base});
  }
  if (PythonFrames::get() != nullptr) state_->frames.emplace(site.id, site.frames);
  writer_.define(DefinitionKind::Site, site);
  return site.id;
}

SiteId SiteTable::with_script(SiteId site, const std::vector<ScriptFrame>& script) {
  std::uint64_t hash = site.value;
  for (const ScriptFrame& frame : script) {
    const std::uint64_t words[] = {hash, XXH3_64bits(frame.file.data(), frame.file.size()),
                                   XXH3_64bits(frame.function.data(), frame.function.size()),
                                   frame.line};
    hash = XXH3_64bits(words, sizeof words);
  }
  std::lock_guard lock(state_->mutex);
  const auto [entry, fresh] =
      state_->sites.emplace(hash, SiteId(static_cast<std::uint32_t>(state_->sites.size() + 1)));
  if (!fresh) return entry->second;

  SiteDefinition made{.id = entry->second, .frames = {}};
  const auto interpreter = module_at(PythonFrames::get()->interpreter());
  const ModuleId inner = interpreter ? state_->module(writer_, *interpreter) : ModuleId(0);
  for (const SiteFrame& frame : state_->frames[site]) {
    if (frame.module == inner) break;
    made.frames.push_back(frame);
  }
  for (const ScriptFrame& frame : script) {
    const ModuleDefinition function{
        .id = {}, .path = frame.file, .build_id = {}, .script_function = frame.function};
    made.frames.push_back({state_->module(writer_, function), frame.line});
  }
  writer_.define(DefinitionKind::Site, made);
  return made.id;
}

}  // namespace photofinish
