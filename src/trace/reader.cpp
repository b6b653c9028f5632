#include "trace/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <tuple>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "base/printable.h"

namespace photofinish {
namespace {

bool read_at(int file, void* data, std::size_t size, std::uint64_t offset) {
  char* next = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = pread(file, next, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string at(const std::string& path, std::uint64_t offset, const std::string& reason) {
  return path + ": at byte " + std::to_string(offset) + ": " + reason;
}

// The lane of the definitions in the live file, next to those of the tasks.
constexpr TaskId kDefinitionLane{~0u};

void drop_tail(std::vector<std::uint8_t>& tail, std::uint64_t& committed) {
  tail.clear();
  committed = 0;
}

// Avoids undefined conversions of invalid times.
std::uint64_t nanoseconds(std::uint64_t units, double ns_per_unit) {
  const double value = static_cast<double>(units) * ns_per_unit;
  return value < 9e18 ? static_cast<std::uint64_t>(value)
                      : std::uint64_t{9'000'000'000'000'000'000};
}

// Users of a definition rely on its invariants, so they are checked here, once.
template <class Definition>
bool holds(const Definition&, int) {
  return true;
}

bool are_ranks(const std::vector<WorldRank>& ranks, int world_size) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](WorldRank rank) { return rank >= kRootHere && rank.value < world_size; });
}

bool holds(const GroupDefinition& group, int world_size) {
  return are_ranks(group.ranks, world_size);
}

bool holds(const CommDefinition& comm, int world_size) {
  return are_ranks(comm.sources, world_size) && are_ranks(comm.destinations, world_size);
}

// The invariants of model/data_map.h that keep its arithmetic inside int64.
bool holds(const TypeDefinition& type, int) {
  return std::all_of(
      type.map.footprint.begin(), type.map.footprint.end(), [](const Strided& strided) {
        std::int64_t end = 0, reach = 0, stride = 0;
        if (strided.length <= 0 || __builtin_add_overflow(strided.offset, strided.length, &end))
          return false;
        for (const Dimension& dimension : strided.dimensions) {
          if (dimension.count <= 1 || dimension.stride < stride) return false;
          stride = dimension.stride;
          if (__builtin_mul_overflow(dimension.count - 1, stride, &reach) ||
              __builtin_add_overflow(end, reach, &end))
            return false;
        }
        return true;
      });
}

template <class Map>
void keep(Decoder& in, Map& map, int world_size) {
  typename Map::mapped_type definition;
  Read{in}(definition);
  if (in.ok() && !holds(definition, world_size)) in.fail("it describes what cannot be");
  if (in.ok()) map[definition.id] = std::move(definition);
}

}  // namespace

bool is_fault(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGTRAP:
    case SIGSYS:
      return true;
    default:
      return false;
  }
}

RankTrace::~RankTrace() {
  if (file_ >= 0) close(file_);
}

Result<std::unique_ptr<RankTrace>> RankTrace::open(const std::string& directory, WorldRank rank) {
  std::unique_ptr<RankTrace> self(new RankTrace);
  self->path_ = trace_path(directory, rank);
  self->live_path_ = live_path(directory, rank);
  self->file_ = ::open(self->path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (self->file_ < 0) return Error{self->path_ + ": " + std::strerror(errno)};
  // The live file first: a lane that becomes a chunk in between is then seen twice and dropped
  // once, never missed.
  self->read_live(self->live_path_);
  struct stat status;
  if (fstat(self->file_, &status) != 0) return Error{self->path_ + ": " + std::strerror(errno)};
  self->file_size_ = static_cast<std::uint64_t>(status.st_size);
  Error error;
  if (!self->read_header(error)) return error;
  if (self->rank() != rank)
    return Error{at(self->path_, offsetof(FileHeader, rank),
                    "this is the trace of rank " + std::to_string(self->header_.rank))};
  self->scan_chunks();
  self->drop_written_tails();

  std::vector<std::uint8_t> bytes;
  for (const ChunkOffset& chunk : self->definition_chunks_) {
    if (!self->load(chunk, bytes)) break;
    self->decode_definitions(bytes, bytes.size(), self->path_, chunk.offset);
  }
  // The definitions in the live file are the newest: those of a chunk must not replace them.
  for (auto& stream : self->streams_)
    if (stream->task == kDefinitionLane)
      self->decode_definitions(stream->tail, stream->tail.size(), self->live_path_,
                               stream->tail_offset);
  self->make_names_printable();
  std::erase_if(self->streams_, [](const auto& stream) { return stream->task == kDefinitionLane; });
  self->stream_of_task_.clear();
  self->insert_unreturned_calls();
  std::sort(self->streams_.begin(), self->streams_.end(),
            [](const auto& a, const auto& b) { return a->task < b->task; });
  self->rewind();
  return self;
}

// These names come from the program and are shown to users. (Not the paths of modules, which are
// opened.)
void RankTrace::make_names_printable() {
  const auto each = [](auto& all, auto member) {
    for (auto& [id, one] : all) one.*member = printable(one.*member);
  };
  each(definitions_.comms, &CommDefinition::name);
  each(definitions_.types, &TypeDefinition::name);
  each(definitions_.ops, &OpDefinition::name);
  each(definitions_.wins, &WinDefinition::name);
  each(definitions_.texts, &TextDefinition::text);
  definitions_.rank.host = printable(definitions_.rank.host);
  definitions_.rank.library = printable(definitions_.rank.library);
}

bool RankTrace::read_header(Error& error) {
  if (file_size_ < sizeof header_ || !read_at(file_, &header_, sizeof header_, 0)) {
    error = {
        at(path_, file_size_,
           "the file ends inside its header; the rank was cut off before it could write anything")};
    return false;
  }
  if (std::memcmp(header_.magic, kFileMagic, sizeof kFileMagic) != 0) {
    error = {at(path_, 0, "this is not a photofinish trace")};
    return false;
  }
  if (header_.version > kTraceVersion) {
    error = {at(path_, 8,
                "trace version " + std::to_string(header_.version) +
                    " is newer than this photofinish (" + std::to_string(kTraceVersion) +
                    "); read it with the photofinish that wrote it")};
    return false;
  }
  if (header_.version != kTraceVersion) {
    error = {at(path_, 8, "unknown trace version " + std::to_string(header_.version))};
    return false;
  }
  if (header_.checksum != XXH3_64bits(&header_, offsetof(FileHeader, checksum)) ||
      !(header_.ns_per_unit > 0)) {
    error = {at(path_, 0, "the header is damaged (checksum)")};
    return false;
  }
  return true;
}

// Reads chunk headers only. Payloads are read, and their checksums verified, on demand.
void RankTrace::scan_chunks() {
  std::uint64_t offset = sizeof header_;
  bool has_vocabulary = false;
  while (offset < file_size_) {
    ChunkOffset chunk;
    ChunkHeader& header = chunk.header;
    if (file_size_ - offset < sizeof header || !read_at(file_, &header, sizeof header, offset))
      return cut_off(offset, "the file ends inside a chunk's header");
    if (header.magic != kChunkMagic) return damaged(path_, offset, "no chunk begins here");
    chunk.offset = offset + sizeof header;
    if (header.stored_size > file_size_ - chunk.offset)
      return cut_off(offset, "the file ends inside a chunk");
    if (header.raw_size > kMaxChunk || header.raw_size == 0)
      return damaged(path_, offset, "a chunk has an impossible size");
    if (!has_vocabulary && header.kind != ChunkKind::Vocabulary)
      return damaged(path_, offset, "the chunk with the names of calls is missing");
    std::vector<std::uint8_t> bytes;
    switch (header.kind) {
      case ChunkKind::Vocabulary: {
        if (has_vocabulary) return damaged(path_, offset, "a second chunk with the names of calls");
        if (!load(chunk, bytes)) return;
        Decoder in(bytes.data(), bytes.data() + bytes.size());
        if (!vocabulary_.decode(in)) return damaged(path_, offset, in.reason());
        has_vocabulary = true;
        break;
      }
      case ChunkKind::Definitions:
      case ChunkKind::Journal:
      case ChunkKind::Events: {
        const bool events = header.kind == ChunkKind::Events;
        if (events && TaskId(header.task) == kDefinitionLane)
          return damaged(path_, offset, "an impossible task");
        auto& chunks = events ? stream(TaskId(header.task)).chunks
                       : header.kind == ChunkKind::Definitions
                           ? definition_chunks_
                           : journals_[TaskId(header.task)].chunks;
        if (header.sequence != chunks.size())
          return damaged(path_, offset, "a chunk is missing before this one");
        chunks.push_back(chunk);
        break;
      }
      case ChunkKind::End: {
        if (!load(chunk, bytes)) return;
        Decoder in(bytes.data(), bytes.data() + bytes.size());
        std::int32_t code = 0;
        Read{in}(end_.state, code);
        end_.code = code;
        has_end_ = true;
        if (!in.ok()) return damaged(path_, offset, in.reason());
        if (chunk.offset + header.stored_size != file_size_)
          damaged(path_, offset, "there are bytes behind the end");
        stored_bytes_ += sizeof header + header.stored_size;
        return;
      }
      default:
        return damaged(path_, offset, "a chunk of an unknown kind");
    }
    stored_bytes_ += sizeof header + header.stored_size;
    offset = chunk.offset + header.stored_size;
  }
  if (!has_vocabulary) cut_off(offset, "the chunk with the names of calls is missing");
}

// A running or killed rank may have written part of its last chunk. Its lane still holds the
// contents.
void RankTrace::cut_off(std::uint64_t offset, const std::string& reason) {
  if (!has_live_) damaged(path_, offset, reason);
}

void RankTrace::read_live(const std::string& path) {
  const int live = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (live < 0) return;  // the usual case: the rank ended normally
  LiveHeader header{};
  if (!read_at(live, &header, sizeof header, 0) ||
      std::memcmp(header.magic, kLiveMagic, sizeof kLiveMagic) != 0) {
    damaged(path, 0, "this is not the live file of a photofinish trace");
  } else if (header.version != kTraceVersion) {
    damaged(path, 8, "another version's live file");
  } else {
    has_live_ = true;
    end_.state = header.state;
    end_.code = header.state_code;
    end_.incomplete = header.incomplete != IncompleteReason::None;
    if (end_.incomplete)
      definitions_.add(IncompleteDefinition{
          .id = IncompleteId(0),
          .reason = header.incomplete,
          .text = std::string(header.why, strnlen(header.why, sizeof header.why))});
    for (std::uint64_t lane = 0; lane < header.lane_count; ++lane) {
      const std::uint64_t offset = kLivePage + lane * kLaneBytes;
      LaneHeader lane_header{};
      if (!read_at(live, &lane_header, sizeof lane_header, offset)) {
        damaged(path, offset, "the file ends inside a lane");
        break;
      }
      const bool definitions = lane_header.kind == ChunkKind::Definitions,
                 journal = lane_header.kind == ChunkKind::Journal;
      if (!definitions && !journal && lane_header.kind != ChunkKind::Events) continue;
      if (lane_header.committed > kLaneData ||
          lane_header.pending > kLaneData - lane_header.committed) {
        damaged(path, offset, "a lane says that it holds more than it can");
        break;
      }
      if (journal) {
        JournalStream& to = journals_[TaskId(lane_header.task)];
        to.tail.resize(lane_header.committed);
        to.tail_sequence = lane_header.sequence;
        if (read_at(live, to.tail.data(), to.tail.size(), offset + sizeof lane_header)) continue;
        to.tail.clear();
        damaged(path, offset, "the file ends inside a lane");
        break;
      }
      TaskStream& to = stream(definitions ? kDefinitionLane : TaskId(lane_header.task));
      to.tail.resize(lane_header.committed + lane_header.pending);
      to.tail_offset = offset + sizeof lane_header;
      to.tail_committed = lane_header.committed;
      to.in_call = lane_header.pending == 0 ? lane_header.in_call : 0;
      to.in_call_pc = lane_header.in_call_pc;
      to.tail_sequence = lane_header.sequence;
      LaneHeader now{};
      if (!read_at(live, to.tail.data(), to.tail.size(), to.tail_offset) ||
          !read_at(live, &now, sizeof now, offset)) {
        drop_tail(to.tail, to.tail_committed);
        damaged(path, to.tail_offset, "the file ends inside a lane");
        break;
      }
      // A running rank has emptied its lane meanwhile: its contents are a chunk now.
      if (now.task != lane_header.task || now.sequence != lane_header.sequence ||
          now.committed < lane_header.committed) {
        drop_tail(to.tail, to.tail_committed);
        to.in_call = 0;
      }
    }
  }
  close(live);
}

// A rank that died between writing a chunk and emptying its lane leaves the same records twice.
void RankTrace::drop_written_tails() {
  for (auto& stream : streams_) {
    const auto& chunks = stream->task == kDefinitionLane ? definition_chunks_ : stream->chunks;
    if (!chunks.empty() && chunks.back().header.sequence >= stream->tail_sequence)
      drop_tail(stream->tail, stream->tail_committed);
    else if (chunks.size() < stream->tail_sequence)
      damaged(path_, file_size_, "the file ends before the chunks that its live file continues");
  }
  for (auto& [task, journal] : journals_) {
    if (journal.chunks.size() > journal.tail_sequence)
      journal.tail.clear();
    else if (journal.chunks.size() < journal.tail_sequence)
      damaged(path_, file_size_, "the file ends before the chunks that its live file continues");
  }
}

bool RankTrace::next_of_journal(TaskId task, std::vector<std::uint8_t>& entries) {
  JournalStream& journal = journals_[task];
  if (journal.next < journal.chunks.size()) return load(journal.chunks[journal.next++], entries);
  if (journal.next++ > journal.chunks.size()) return false;
  entries = journal.tail;
  return true;
}

RankTrace::TaskStream& RankTrace::stream(TaskId task) {
  TaskStream*& known = stream_of_task_[task];
  if (known == nullptr) {
    known = streams_.emplace_back(std::make_unique<TaskStream>()).get();
    known->task = task;
  }
  return *known;
}

bool RankTrace::load(const ChunkOffset& chunk, std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> stored(chunk.header.stored_size);
  const std::uint64_t start = chunk.offset - sizeof(ChunkHeader);
  if (!read_at(file_, stored.data(), stored.size(), chunk.offset))
    return damaged(path_, chunk.offset, "cannot read a chunk"), false;
  const std::uint64_t checksum = XXH3_64bits_withSeed(
      stored.data(), stored.size(), XXH3_64bits(&chunk.header, offsetof(ChunkHeader, checksum)));
  if (checksum != chunk.header.checksum)
    return damaged(path_, start, "a chunk is damaged (checksum)"), false;
  if (stored.size() == chunk.header.raw_size) return bytes = std::move(stored), true;
  // The frame must have the same size before memory is allocated for it.
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != chunk.header.raw_size)
    return damaged(path_, start, "a chunk's sizes disagree"), false;
  bytes.resize(chunk.header.raw_size);
  const std::size_t size =
      ZSTD_decompress(bytes.data(), bytes.size(), stored.data(), stored.size());
  if (ZSTD_isError(size) || size != bytes.size())
    return damaged(path_, start, "a chunk cannot be decompressed"), false;
  return true;
}

void RankTrace::decode_definitions(const std::vector<std::uint8_t>& bytes, std::size_t size,
                                   const std::string& path, std::uint64_t offset) {
  Decoder in(bytes.data(), bytes.data() + size);
  const int world_size = header_.world_size;
  while (!in.at_end()) {
    const std::size_t position = in.position();
    DefinitionKind kind{};
    Read{in}(kind);
    switch (kind) {
      case DefinitionKind::Rank:
        Read{in}(definitions_.rank);
        break;
      case DefinitionKind::Task:
        keep(in, definitions_.tasks, world_size);
        break;
      case DefinitionKind::Module:
        keep(in, definitions_.modules, world_size);
        break;
      case DefinitionKind::Site:
        keep(in, definitions_.sites, world_size);
        break;
      case DefinitionKind::Group:
        keep(in, definitions_.groups, world_size);
        break;
      case DefinitionKind::Comm:
        keep(in, definitions_.comms, world_size);
        break;
      case DefinitionKind::Type:
        keep(in, definitions_.types, world_size);
        break;
      case DefinitionKind::Op:
        keep(in, definitions_.ops, world_size);
        break;
      case DefinitionKind::Win:
        keep(in, definitions_.wins, world_size);
        break;
      case DefinitionKind::Text:
        keep(in, definitions_.texts, world_size);
        break;
      case DefinitionKind::Sampling:
        keep(in, definitions_.samplings, world_size);
        break;
      case DefinitionKind::Incomplete:
        keep(in, definitions_.incompletes, world_size);
        break;
      case DefinitionKind::Block:
        keep(in, definitions_.blocks, world_size);
        break;
      default:
        in.fail("a definition of an unknown kind");
    }
    if (!in.ok())
      return damaged(
          path, offset,
          "definition at decompressed byte " + std::to_string(position) + ": " + in.reason());
  }
}

std::uint64_t RankTrace::time(std::uint64_t units) const {
  return units == BlockDefinition::kEver ? units : nanoseconds(units, header_.ns_per_unit);
}

void RankTrace::rewind() {
  heap_.clear();
  delivered_ = nullptr;
  for (auto& stream : streams_) {
    stream->next_chunk = 0;
    stream->tail_done = stream->in_call_done = false;
    stream->bytes.clear();
    stream->position = stream->committed = 0;
    stream->last_end = 0;
    advance(*stream);
  }
}

bool RankTrace::next(const Event*& event) {
  if (delivered_ != nullptr) advance(*delivered_);
  delivered_ = nullptr;
  if (heap_.empty()) return false;
  std::pop_heap(heap_.begin(), heap_.end(),
                [](const auto* a, const auto* b) { return later(*a, *b); });
  delivered_ = heap_.back();
  heap_.pop_back();
  event = &delivered_->event;
  return true;
}

// If the order of tasks was tracked, their events are numbered. Earlier events, and the calls in
// which a rank ended, are not.
bool RankTrace::later(const TaskStream& a, const TaskStream& b) {
  const auto key = [](const TaskStream& stream) {
    const Event& event = stream.event;
    const bool numbered = event.fields.has(Field::order);
    const int part = numbered ? 1 : event.fields.has(Field::order_at_start) ? 2 : 0;
    return std::tuple(
        part, numbered ? static_cast<std::uint64_t>(event.fields[Field::order]) : event.start,
        stream.task);
  };
  return key(a) > key(b);
}

void RankTrace::advance(TaskStream& stream) {
  if (!decode_next(stream)) return std::vector<std::uint8_t>().swap(stream.bytes);
  heap_.push_back(&stream);
  std::push_heap(heap_.begin(), heap_.end(),
                 [](const auto* a, const auto* b) { return later(*a, *b); });
}

bool RankTrace::decode_next(TaskStream& stream) {
  while (stream.position == stream.bytes.size())
    if (!next_bytes(stream)) return stream.tail_done && make_unreturned(stream);
  return decode_event(stream);
}

bool RankTrace::next_bytes(TaskStream& stream) {
  if (stream.tail_done) return false;
  stream.position = 0;
  stream.decoder.new_chunk();
  stream.last_end = 0;
  if (stream.next_chunk < stream.chunks.size()) {
    const ChunkOffset& chunk = stream.chunks[stream.next_chunk++];
    if (!load(chunk, stream.bytes)) return false;
    stream.bytes_offset = chunk.offset - sizeof(ChunkHeader);
    stream.committed = stream.bytes.size();
    return true;
  }
  stream.tail_done = true;
  stream.bytes = stream.tail;
  stream.bytes_offset = stream.tail_offset;
  stream.committed = stream.tail_committed;
  return true;
}

bool RankTrace::decode_event(TaskStream& stream) {
  const std::string& path = stream.tail_done ? live_path_ : path_;
  // The pending half of a record lies after the committed ones.
  const bool pending = stream.position >= stream.committed;
  Event& event = stream.event;
  event.clear();
  event.task = stream.task;
  event.returned = !pending;

  const auto fail = [&](const std::string& reason) {
    damaged(path, stream.bytes_offset,
            "event at decompressed byte " + std::to_string(stream.position) + ": " + reason);
    return false;
  };
  EventDecoder::Record record;
  const std::size_t limit = pending ? stream.bytes.size() : stream.committed;
  if (const char* reason = stream.decoder.decode(stream.bytes.data(), stream.position, limit,
                                                 pending, vocabulary_, event, record))
    return fail(reason);
  const auto call = vocabulary_.call(record.call);
  if (!call)
    return fail("this photofinish does not know the call " + vocabulary_.call_name(record.call));
  for (const Buffer& buffer : event.buffers)
    if (static_cast<std::uint8_t>(buffer.access) >= kBufferUses)
      return fail("an access of an unknown kind");
  for (const Completion& completion : event.completions)
    if (completion.index >= event.requests.size())
      return fail("a completion of a request that was not given");
  event.call = *call;
  const std::uint64_t begin_time = stream.last_end + record.start_delta;
  stream.last_end = begin_time + record.duration;
  event.start = nanoseconds(begin_time, header_.ns_per_unit);
  event.duration = nanoseconds(record.duration, header_.ns_per_unit);
  stream.position = record.end;
  return true;
}

// The call that a task was inside of when the rank ended, if only its name and return address are
// recorded.
bool RankTrace::make_unreturned(TaskStream& stream) {
  if (stream.in_call == 0 || stream.in_call_done) return false;
  stream.in_call_done = true;
  const auto call = vocabulary_.call(stream.in_call - 1);
  if (!call)
    return damaged(live_path_, stream.tail_offset, "the task is inside a call that has no name"),
           false;
  Event& event = stream.event;
  event.clear();
  event.call = *call;
  event.task = stream.task;
  event.site = stream.in_call_site;
  event.start = nanoseconds(stream.last_end, header_.ns_per_unit);  // or later: not recorded
  event.duration = 0;
  event.returned = false;
  return true;
}

// Only their program counters are recorded. Their sites have one frame, in the module that contains
// it.
void RankTrace::insert_unreturned_calls() {
  for (const auto& stream : streams_) {
    if (stream->in_call == 0) continue;
    const ModuleDefinition* module = nullptr;
    for (const auto& [id, candidate] : definitions_.modules)
      if (candidate.script_function.empty() && candidate.base <= stream->in_call_pc &&
          (module == nullptr || candidate.base > module->base))
        module = &candidate;
    if (module == nullptr) continue;
    stream->in_call_site = SiteId(~stream->task.value);  // regular site numbers start at 1
    definitions_.sites.try_emplace(
        stream->in_call_site,
        SiteDefinition{stream->in_call_site, {{module->id, stream->in_call_pc - module->base}}});
  }
}

void RankTrace::verify() {
  std::vector<std::uint8_t> bytes;
  const auto all_whole = [&](const std::vector<ChunkOffset>& chunks) {
    return std::all_of(chunks.begin(), chunks.end(),
                       [&](const ChunkOffset& chunk) { return load(chunk, bytes); });
  };
  if (!all_whole(definition_chunks_)) return;
  for (const auto& stream : streams_)
    if (!all_whole(stream->chunks)) return;
  for (const auto& [task, journal] : journals_)
    if (!all_whole(journal.chunks)) return;
}

void RankTrace::damaged(const std::string& path, std::uint64_t offset, const std::string& reason) {
  if (damage_.empty()) damage_ = at(path, offset, reason);
}

}  // namespace photofinish
