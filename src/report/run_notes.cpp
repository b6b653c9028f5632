#include "report/run_notes.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>

#include "frontend/caf/table/caf_call.h"
#include "frontend/shmem/table/shmem_call.h"
#include "frontend/upc/table/upc_call.h"
#include "model/scopes.h"
#include "report/site_text.h"
#include "symbols/static_array.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

constexpr std::size_t kLongestCall = 12;  // lines

std::uint64_t start_of(const std::string& directory) {
  const auto info = read_run_info(directory);
  return info ? info->started_ns : 0;
}

void read_layout(const Event& event, std::uint64_t ranks,
                 const std::map<WinId, WindowNotes*>& objects) {
  const auto object = objects.find(WinId(static_cast<std::uint32_t>(event.fields[Field::win])));
  if (object == objects.end()) return;
  SharedLayout& layout = object->second->layout.emplace();
  layout.element = static_cast<std::uint64_t>(event.fields[Field::size]);
  layout.block = static_cast<std::uint64_t>(event.fields[Field::value]);
  layout.extents.assign(event.numbers.begin(), event.numbers.end());
  layout.ranks = ranks;
}

// caf_register: the allocation site. caf_layout: element size and bounds.
void read_coarray(const Event& event, SiteText& text,
                  const std::map<WinId, WindowNotes*>& objects) {
  const auto object = objects.find(WinId(static_cast<std::uint32_t>(event.fields[Field::win])));
  if (object == objects.end()) return;
  WindowNotes& notes = *object->second;
  if (!notes.coarray) notes.coarray.emplace();
  if (event.call == CafCall::caf_register_component) return;
  if (event.call == CafCall::caf_register) {
    notes.coarray->bytes = static_cast<std::uint64_t>(event.fields[Field::size]);
    notes.created_by = event.call;
    notes.created_at = text.where(event.site);
    return;
  }
  notes.coarray->element = static_cast<std::uint64_t>(event.fields[Field::size]);
  for (std::size_t i = 0; i + 1 < event.numbers.size(); i += 2)
    notes.coarray->bounds.emplace_back(event.numbers[i], event.numbers[i + 1]);
}

bool is_whole(const std::vector<Frame>& frames) {
  return !frames.empty() && frames.back().function == "main";
}

Uid window_in(const Event& event, Field field, const Definitions& definitions) {
  const auto window = definitions.wins.find(WinId(static_cast<std::uint32_t>(event.fields[field])));
  return window == definitions.wins.end() ? Uid() : window->second.uid;
}

}  // namespace

std::shared_ptr<SavedSymbols> saved_symbols(const std::string& directory) {
  return std::make_shared<SavedSymbols>(directory + "/" + std::string(kSymbolsName));
}

RunNotes::RunNotes(std::string directory, const std::vector<Finding>& findings,
                   const MessageFindings& messages)
    : directory_(std::move(directory)),
      saved_(saved_symbols(directory_)),
      symbolizer_(saved_),
      sources_(start_of(directory_), saved_) {
  for (const MessageFinding& finding : messages.races) {
    want_end(finding.receive);
    ranks_[finding.receive.rank].comms[finding.comm];
    if (finding.got.rank.value >= 0) want_end(finding.got);
    for (const MessageFinding::Other& other : finding.others) want_end(other.send);
  }
  for (const Deadlock& deadlock : messages.deadlocks)
    for (const Deadlock::Waits& waits : deadlock.waits) {
      for (const SiteId site : {waits.site, waits.posted}) want_caller(waits.rank, site);
      if (waits.on.value >= 0) want_caller(waits.on, waits.finalize);
      if (waits.comm != Uid()) ranks_[waits.rank].comms[waits.comm];
      if (deadlock.came_about) ranks_[waits.rank].waiting.insert(waits.site);
    }
  for (const TimingDependence& timing : messages.timing)
    want_caller(timing.at.rank, timing.at.site);
  for (const TimingDependence& timing : messages.answers)
    want_caller(timing.at.rank, timing.at.site);
  for (const Finding& finding : findings) {
    for (const FindingSide& side : finding.sides) {
      RankNotes& rank = ranks_[side.rank];
      rank.sites[side.site];
      want_scopes(side.rank, side.site, side.site_key);
      for (const SiteId caller : {side.opened, side.closed}) want_caller(side.rank, caller);
      // Window names are local to a rank: the owner may have set none.
      if (finding.win != Uid()) rank.windows[finding.win];
      if (side.win != Uid()) {
        rank.windows[side.win];
        ranks_[finding.owner].windows[side.win];
      }
    }
    if (finding.win != Uid()) ranks_[finding.owner].windows[finding.win];
    ranks_[finding.owner].variables[finding.where.begin];
    const auto [rank, byte] = block_byte(finding);
    ranks_[rank].blocks[byte];
    if (finding.win != Uid())
      for (const WorldRank rank : possible_allocators(finding))
        ranks_[rank].heap_blocks[{finding.win, finding.owner, finding.offset}];
    ranks_[finding.owner].allocations[heap_byte(finding)];
    if (FenceNotes::may_separate(finding))
      for (const FindingSide& side : finding.sides) ranks_[side.rank].fences.want(finding, side);
  }
}

void RunNotes::want_caller(WorldRank rank, SiteId site) {
  if (site == SiteId()) return;
  ranks_[rank].sites[site];
  ranks_[rank].callers.insert(site);
}

void RunNotes::want_end(const MessageEnd& end) {
  want_caller(end.rank, end.site);
  want_scopes(end.rank, end.site, end.site_key);
}

const SiteNotes& RunNotes::site(WorldRank rank, SiteId site) { return notes(rank).sites[site]; }
const WindowNotes& RunNotes::window(WorldRank rank, Uid window) {
  return notes(rank).windows[window];
}

const ScopeNotes& RunNotes::scopes(WorldRank rank, SiteId site, std::uint64_t site_key) {
  return notes(rank).scopes[{site, site_key}];
}

std::uint64_t RunNotes::key_as_read(WorldRank rank, SiteId site, std::uint64_t site_key) {
  const std::vector<std::string> stack = stack_as_read(this->site(rank, site));
  if (stack.empty()) return site_key;
  const ScopeNotes known = scopes(rank, site, site_key);
  std::string text = known.why + "\n" + known.declared_at;
  for (const std::string& line : stack) text += "\n" + line;
  for (const std::string& region : known.regions) text += "\n" + region;
  const std::uint64_t key =
      (std::hash<std::string>()(text) & ~kIntendedSite) | (site_key & kIntendedSite);
  ranks_[rank].scopes[{site, key}] = known;
  return key;
}

// The stack without its recursion. For a deep recursion only the innermost frames were recorded.
// Its callers are taken from a complete stack of the same recursion elsewhere.
std::vector<std::string> RunNotes::stack_as_read(const SiteNotes& at) {
  std::vector<Frame> frames = without_recursion(at.frames);
  if (frames.size() == at.frames.size() || is_whole(at.frames)) return numbered_frames(frames);
  // The recorded stack may end in the middle of a cycle.
  const auto times = [&](const Frame& frame) {
    return std::count_if(at.frames.begin(), at.frames.end(), [&](const Frame& other) {
      return other.function == frame.function && other.file == frame.file;
    });
  };
  while (frames.size() > 1 && times(frames.back()) > 1) frames.pop_back();
  const std::vector<std::string> stack = numbered_frames(frames);
  std::optional<std::vector<std::string>> whole;
  for (auto& [rank, noted] : ranks_)
    for (const auto& [site, other] : notes(rank).sites) {
      if (!is_whole(other.frames)) continue;
      auto lines = numbered_frames(without_recursion(other.frames));
      if (lines.size() > stack.size() && std::equal(stack.begin(), stack.end(), lines.begin()) &&
          (!whole || lines < *whole))
        whole = std::move(lines);
    }
  return whole ? *whole : stack;
}

const std::optional<Variable>& RunNotes::variable(WorldRank rank, std::int64_t address) {
  return notes(rank).variables[address];
}

// All ranks allocate symmetric memory in the same order, at the same addresses. So if no side is on
// the owner, another rank knows when the block was there.
std::pair<WorldRank, RunNotes::BlockByte> RunNotes::block_byte(const Finding& finding) {
  const FindingSide* known = nullptr;
  for (const FindingSide& side : finding.sides)
    if (side.rank == finding.owner || (known == nullptr && is_shmem(side.call))) known = &side;
  return known != nullptr
             ? std::pair{known->rank, BlockByte{finding.where.begin, event_of(known->begin)}}
             : std::pair{finding.owner, BlockByte{finding.where.begin, kNever}};
}

const std::optional<BlockNotes>& RunNotes::block(const Finding& finding) {
  const auto [rank, byte] = block_byte(finding);
  return notes(rank).blocks[byte];
}

// A load or store is recorded with the next call, when the block may be gone. So the call decides
// that uses the buffer.
RunNotes::HeapByte RunNotes::heap_byte(const Finding& finding) {
  if (finding.win != Uid()) return {finding.where.begin, 0, finding.win};
  std::uint64_t event = 0;
  for (const FindingSide& side : finding.sides)
    if (side.rank == finding.owner && !is_program(side.call)) event = event_of(side.begin);
  return {finding.where.begin, event, Uid()};
}

const std::optional<AllocationNotes>& RunNotes::allocation(const Finding& finding) {
  return notes(finding.owner).allocations[heap_byte(finding)];
}

std::optional<BlockNotes> RunNotes::heap_block(const Finding& finding) {
  for (const WorldRank rank : possible_allocators(finding))
    if (const auto& block = notes(rank).heap_blocks[{finding.win, finding.owner, finding.offset}])
      return block;
  return std::nullopt;
}

template <class Choose>
BufferNotes RunNotes::argument(const std::vector<Frame>& stack, Call call, Choose choose) {
  const Frame* const frame = leading_frame(stack);
  if (frame == nullptr) return {};
  const bool fortran = is_fortran_source(frame->file);
  BufferNotes reported{.expression = choose(arguments_of_call(sources_.from(*frame, kLongestCall),
                                                              traits(call).name, fortran))};
  std::string name = variable_of(reported.expression);
  if (fortran)
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // The debug information describes the innermost function at the address.
  const auto innermost = std::find_if(stack.begin(), stack.end(), [&](const Frame& other) {
    return other.module == frame->module && other.offset == frame->offset;
  });
  if (name.empty() || &*innermost != frame) return reported;
  const auto local = symbolizer_.local_named(frame->module, frame->offset, name);
  if (local && is_own_memory(reported.expression, *local, fortran)) reported.local = local;
  return reported;
}

BufferNotes RunNotes::buffer(const std::vector<Frame>& stack, Call call, bool written) {
  return argument(stack, call, [&](const std::vector<std::string>& arguments) {
    return buffer_argument(call, written, arguments);
  });
}

BufferNotes RunNotes::exposed(const WindowNotes& window) {
  if (!window.created_by) return {};
  return argument(window.creation, *window.created_by,
                  [&](const std::vector<std::string>& arguments) {
                    return window_argument(*window.created_by, arguments);
                  });
}

std::string RunNotes::source_of(const std::vector<Frame>& stack) {
  const Frame* const frame = leading_frame(stack);
  return frame == nullptr ? "" : sources_.line_of(*frame);
}

std::string RunNotes::asserted_fence(const Finding& finding) {
  if (!FenceNotes::may_separate(finding)) return "";
  const auto fences = [&](const FindingSide& side) {
    return notes(side.rank).fences.before(finding, side);
  };
  const FenceNotes::Before a = fences(finding.sides[0]), b = fences(finding.sides[1]);
  return a.count == b.count ? "" : std::max(a, b).last;
}

const std::string& RunNotes::communicator(WorldRank rank, Uid comm) {
  return notes(rank).comms[comm];
}

RunNotes::RankNotes& RunNotes::notes(WorldRank rank) {
  RankNotes& notes = ranks_[rank];
  if (!notes.read) read(rank, notes);
  notes.read = true;
  return notes;
}

// A later block at the same address replaces an earlier one, up to the event of the byte.
void RunNotes::read_block(const Event& event, std::uint64_t number, SiteText& text,
                          RankNotes& notes) {
  if (traits(event.call).action != Action::SymmetricAllocate || !event.fields.has(Field::address))
    return;
  const auto begin = event.fields[Field::address], bytes = event.fields[Field::size];
  for (auto block = notes.blocks.lower_bound({begin, 0});
       block != notes.blocks.end() && block->first.address < begin + bytes; ++block)
    if (number < block->first.before)
      block->second =
          BlockNotes{static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(bytes),
                     event.call, text.where(event.site)};
}

// One rank may have allocated the block on all ranks.
void RunNotes::read_heap_block(const Event& event, const Definitions& definitions, SiteText& text,
                               RankNotes& notes) {
  if (!is_upc(event.call) || traits(event.call).action != Action::SymmetricAllocate ||
      !event.fields.has(Field::win))
    return;
  const auto window =
      definitions.wins.find(WinId(static_cast<std::uint32_t>(event.fields[Field::win])));
  if (window == definitions.wins.end()) return;
  const bool on_all =
      event.call == UpcCall::upc_global_alloc || event.call == UpcCall::upc_all_alloc;
  const std::int64_t begin = event.fields[Field::key], bytes = event.fields[Field::size];
  for (auto& [place, block] : notes.heap_blocks)
    if (place.win == window->second.uid && place.offset >= begin && place.offset < begin + bytes &&
        (on_all || place.owner.value == event.fields[Field::target]))
      block = BlockNotes{static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(bytes),
                         event.call, text.where(event.site)};
}

// Those that are in a block that was noted.
std::vector<RunNotes::HeapByte> RunNotes::wanted_bytes(const RankNotes& notes,
                                                       const Definitions& definitions) {
  std::vector<HeapByte> wanted;
  for (const auto& [byte, allocation] : notes.allocations) {
    const auto address = static_cast<std::uint64_t>(byte.address);
    if (std::any_of(definitions.blocks.begin(), definitions.blocks.end(), [&](const auto& known) {
          return address - known.second.address < known.second.bytes;
        }))
      wanted.push_back(byte);
  }
  return wanted;
}

void RunNotes::read_allocation(const RankTrace& trace, std::uint64_t time, SiteText& text,
                               const HeapByte& byte, RankNotes& notes) {
  const BlockDefinition* found = nullptr;
  for (const auto& [id, block] : trace.definitions().blocks)
    if (static_cast<std::uint64_t>(byte.address) - block.address < block.bytes &&
        trace.time(block.since) <= time && time <= trace.time(block.until) &&
        (found == nullptr || found->since < block.since))
      found = &block;
  if (found == nullptr) return;
  const std::vector<Frame> frames = text.frames(found->site);
  const Frame* const leading = leading_frame(frames);
  if (leading == nullptr || leading->line == 0) return;
  notes.allocations[byte] = AllocationNotes{
      found->bytes, leading->function.empty() ? location_of(*leading)
                                              : leading->function + " " + location_of(*leading)};
}

// Bounds, and where it is declared. The event of an allocatable coarray has its bounds.
void RunNotes::read_static_coarray(const Event& event, const Definitions& definitions,
                                   const std::map<WinId, WindowNotes*>& objects) {
  const auto object = objects.find(WinId(static_cast<std::uint32_t>(event.fields[Field::win])));
  if (event.call != CafCall::caf_layout || object == objects.end() ||
      !event.fields.has(Field::address))
    return;
  const auto address = static_cast<std::uint64_t>(event.fields[Field::address]);
  CoarrayLayout& layout = *object->second->coarray;
  const ModuleDefinition* module = nullptr;
  for (const auto& [id, one] : definitions.modules)
    if (one.base <= address && (module == nullptr || module->base < one.base)) module = &one;
  if (module == nullptr || !symbolizer_.matches(module->path, module->build_id)) return;
  auto [bounds, file, line] = static_array(module->path, address - module->base);
  if (!file.empty() && line > 0) {
    Frame declaration;
    declaration.file = file;
    declaration.line = static_cast<std::uint32_t>(line);
    layout.declared_at = location_of(declaration);
  }
  std::uint64_t bytes = layout.element;
  for (const auto& [lower, extent] : bounds) bytes *= static_cast<std::uint64_t>(extent);
  if (bytes == layout.bytes) layout.bounds = std::move(bounds);
}

void RunNotes::read(WorldRank rank, RankNotes& notes) {
  auto trace = RankTrace::open(directory_, rank);
  if (!trace) {
    notes.trouble = trace.error().message;
    return;
  }
  notes.ended = (*trace)->end().state == RankState::Exited && !(*trace)->end().incomplete;
  const Definitions& definitions = (*trace)->definitions();
  for (auto& [address, wanted] : notes.variables)
    for (const auto& [id, module] : definitions.modules) {
      const auto at = static_cast<std::uint64_t>(address);
      if (wanted || at < module.base) continue;
      wanted = symbolizer_.variable_at(module.path, at - module.base, module.build_id);
    }
  SiteText text(definitions, symbolizer_);
  for (auto& [site, wanted] : notes.sites)
    wanted = {.stack = text.stack(site),
              .frames = text.frames(site),
              .where = text.where(site),
              .location = text.location(site)};

  for (const auto& [id, comm] : definitions.comms)
    if (const auto wanted = notes.comms.find(comm.uid);
        wanted != notes.comms.end() && wanted->second.empty())
      wanted->second = comm.name;

  std::map<WinId, WindowNotes*> creations, objects;
  bool has_heap = false;
  for (const auto& [id, window] : definitions.wins)
    if (const auto wanted = notes.windows.find(window.uid); wanted != notes.windows.end()) {
      wanted->second.name = window.name;
      wanted->second.by_address = window.flavour == WinFlavour::Dynamic;
      wanted->second.symmetric = window.flavour == WinFlavour::Symmetric;
      (wanted->second.symmetric ? objects : creations).emplace(id, &wanted->second);
      has_heap |= wanted->second.symmetric;
    }
  std::set<SiteId> callers = notes.callers;
  // Access sites in some scope; most programs have none.
  std::map<SiteId, std::map<std::uint64_t, ScopeNotes*>> scoped;
  for (auto& [where, wanted] : notes.scopes)
    if (!definitions.texts.empty() && where.second != call_site_key(definitions, where.first))
      scoped[where.first][where.second] = &wanted;
  Scopes scopes;
  const Event* event = nullptr;
  const auto read_scopes = [&] {
    const auto here = scoped.find(event->site);
    if (here == scoped.end()) return;
    const auto wanted = here->second.find(scopes.key_of(call_site_key(definitions, event->site)));
    if (wanted == here->second.end()) return;
    for (const Scopes::Scope& scope : scopes.open()) {
      const auto name = definitions.texts.find(scope.text);
      const std::string words = name != definitions.texts.end() ? name->second.text : "?";
      if (!scope.intended) {
        wanted->second->regions.push_back(words);
      } else {
        wanted->second->why = words;
        wanted->second->declared_at = text.location(scope.site);
      }
    }
    here->second.erase(wanted);
    if (here->second.empty()) scoped.erase(here);
  };
  std::multimap<std::uint64_t, HeapByte> buffers;  // by the number of the event
  std::vector<HeapByte> exposed;
  for (const HeapByte& byte : wanted_bytes(notes, definitions))
    if (byte.win == Uid())
      buffers.emplace(byte.event, byte);
    else
      exposed.push_back(byte);
  const auto read_exposed = [&](Uid window, const auto& is_exposed) {
    std::erase_if(exposed, [&](const HeapByte& byte) {
      if (byte.win != window || !is_exposed(byte)) return false;
      read_allocation(**trace, event->start, text, byte, notes);
      return true;
    });
  };
  std::map<std::int64_t, std::pair<Call, SiteId>> made_comms;
  const auto comm_text = [&](std::int64_t id) -> std::string {
    const auto known = definitions.comms.find(CommId(static_cast<std::uint32_t>(id)));
    const std::string name = known != definitions.comms.end() ? known->second.name : "";
    if (name.starts_with("MPI_COMM_")) return name;
    if (!name.empty()) return fmt::format("communicator \"{}\"", name);
    const auto made = made_comms.find(id);
    return made == made_comms.end()
               ? ""
               : fmt::format("communicator of {} {}", traits(made->second.first).name,
                             text.location(made->second.second));
  };
  std::uint64_t number = 0;
  while ((has_heap || !notes.waiting.empty() || !callers.empty() || !creations.empty() ||
          !scoped.empty() || !buffers.empty() || !exposed.empty() || !notes.fences.is_complete()) &&
         (*trace)->next(event)) {
    for (; !buffers.empty() && buffers.begin()->first <= number; buffers.erase(buffers.begin()))
      read_allocation(**trace, event->start, text, buffers.begin()->second, notes);
    notes.fences.follow(*event, number, definitions, [&] { return text.location(event->site); });
    ++number;
    if (traits(event->call).action == Action::WinAttach) {
      const auto begin = event->fields[Field::address], size = event->fields[Field::size];
      read_exposed(window_in(*event, Field::win, definitions), [&](const HeapByte& byte) {
        return begin <= byte.address && byte.address < begin + size;
      });
    }
    if (has_heap) {
      if (event->call == UpcCall::shared_object) {
        read_layout(*event, static_cast<std::uint64_t>((*trace)->world_size()), objects);
        continue;
      }
      if (event->call == CafCall::caf_register || event->call == CafCall::caf_layout) {
        read_coarray(*event, text, objects);
        read_static_coarray(*event, definitions, objects);
        continue;
      }
      if (event->call == CafCall::caf_register_component) read_coarray(*event, text, objects);
      read_block(*event, number - 1, text, notes);
      read_heap_block(*event, definitions, text, notes);
    }
    if (!scoped.empty()) {
      scopes.follow(*event, definitions);
      read_scopes();
    }
    if (callers.erase(event->site) != 0) {
      SiteNotes& site = notes.sites[event->site];
      site.call = event->call;
      const Action action = traits(event->call).action;
      site.unchecked_lock = (action == Action::Lock || action == Action::LockAll) &&
                            (event->fields[Field::assertion] & kNoCheck) != 0;
    }
    if (event->fields.has(Field::new_comm))
      made_comms[event->fields[Field::new_comm]] = {event->call, event->site};
    if (!event->returned && notes.waiting.contains(event->site) && event->fields.has(Field::comm))
      notes.sites[event->site].comm = comm_text(event->fields[Field::comm]);
    if (!event->fields.has(Field::new_win)) continue;
    const auto created =
        creations.find(WinId(static_cast<std::uint32_t>(event->fields[Field::new_win])));
    if (created == creations.end()) continue;
    if (!created->second->by_address)
      read_exposed(window_in(*event, Field::new_win, definitions),
                   [](const HeapByte&) { return true; });
    created->second->created_by = event->call;
    created->second->created_at = text.where(event->site);
    created->second->creation = text.frames(event->site);
    creations.erase(created);
  }
  notes.fences.finish();
}

}  // namespace photofinish
