#include "trace/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

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

// Reading the live file, the lane of the definitions stands beside those of the tasks.
constexpr TaskId kDefinitionLane{~0u};

// Hostile times must not become undefined conversions.
std::uint64_t nanoseconds(std::uint64_t units, double ns_per_unit) {
  const double value = static_cast<double>(units) * ns_per_unit;
  return value < 9e18 ? static_cast<std::uint64_t>(value) : std::uint64_t{9'000'000'000'000'000'000};
}

template <class Definition, class Map>
void keep(Decoder& in, Map& map) {
  Definition definition;
  Read{in}(definition);
  if (in.ok()) map[definition.id] = std::move(definition);
}

}  // namespace

RankTrace::~RankTrace() {
  if (file_ >= 0) close(file_);
}

Result<std::unique_ptr<RankTrace>> RankTrace::open(const std::string& directory, WorldRank rank) {
  std::unique_ptr<RankTrace> self(new RankTrace);
  self->path_ = trace_path(directory, rank);
  self->live_path_ = live_path(directory, rank);
  self->file_ = ::open(self->path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (self->file_ < 0) return Error{self->path_ + ": " + std::strerror(errno)};
  struct stat status;
  if (fstat(self->file_, &status) != 0) return Error{self->path_ + ": " + std::strerror(errno)};
  self->file_size_ = static_cast<std::uint64_t>(status.st_size);

  Error error;
  if (!self->read_header(error)) return error;
  // Before the chunks: a lane that becomes a chunk in between is then seen twice and dropped once, never missed.
  self->read_live(self->live_path_);
  self->scan_chunks();
  self->drop_written_tails();

  std::vector<std::uint8_t> bytes;
  for (const ChunkPlace& chunk : self->definition_chunks_) {
    if (!self->load(chunk, bytes)) break;
    self->decode_definitions(bytes, bytes.size(), self->path_, chunk.offset);
  }
  // The live file's definitions are the newest: a chunk's must not replace them.
  for (auto& stream : self->streams_)
    if (stream->task == kDefinitionLane) self->decode_definitions(stream->tail, stream->tail.size(), self->live_path_, stream->tail_offset);
  std::erase_if(self->streams_, [](const auto& stream) { return stream->task == kDefinitionLane; });
  std::sort(self->streams_.begin(), self->streams_.end(), [](const auto& a, const auto& b) { return a->task < b->task; });
  self->rewind();
  return self;
}

bool RankTrace::read_header(Error& error) {
  if (file_size_ < sizeof header_ || !read_at(file_, &header_, sizeof header_, 0)) {
    error = {at(path_, file_size_, "the file ends inside its header; the rank was cut off before it could write anything")};
    return false;
  }
  if (std::memcmp(header_.magic, kFileMagic, sizeof kFileMagic) != 0) {
    error = {at(path_, 0, "this is not a photofinish trace")};
    return false;
  }
  if (header_.version > kTraceVersion) {
    error = {at(path_, 8, "trace version " + std::to_string(header_.version) + " is newer than this photofinish (" +
                              std::to_string(kTraceVersion) + "); read it with the photofinish that wrote it")};
    return false;
  }
  if (header_.version != kTraceVersion) {
    error = {at(path_, 8, "unknown trace version " + std::to_string(header_.version))};
    return false;
  }
  if (header_.checksum != XXH3_64bits(&header_, offsetof(FileHeader, checksum)) || !(header_.ns_per_unit > 0)) {
    error = {at(path_, 0, "the header is damaged (checksum)")};
    return false;
  }
  return true;
}

// Reads the chunks' headers only; payloads are read, and their checksums compared, when they are needed.
void RankTrace::scan_chunks() {
  std::uint64_t offset = sizeof header_;
  bool has_vocabulary = false;
  while (offset < file_size_) {
    ChunkPlace chunk;
    ChunkHeader& header = chunk.header;
    if (file_size_ - offset < sizeof header || !read_at(file_, &header, sizeof header, offset))
      return damaged(path_, offset, "the file ends inside a chunk's header");
    if (header.magic != kChunkMagic) return damaged(path_, offset, "no chunk begins here");
    chunk.offset = offset + sizeof header;
    if (header.stored_size > file_size_ - chunk.offset) return damaged(path_, offset, "the file ends inside a chunk");
    if (header.raw_size > kMaxChunk || header.raw_size == 0) return damaged(path_, offset, "a chunk has an impossible size");
    if (!has_vocabulary && header.kind != ChunkKind::Vocabulary)
      return damaged(path_, offset, "the chunk with the names of calls is missing");
    std::vector<std::uint8_t> bytes;
    switch (header.kind) {
      case ChunkKind::Vocabulary: {
        if (!load(chunk, bytes)) return;
        Decoder in(bytes.data(), bytes.data() + bytes.size());
        if (!vocabulary_.decode(in)) return damaged(path_, offset, in.reason());
        has_vocabulary = true;
        break;
      }
      case ChunkKind::Definitions: definition_chunks_.push_back(chunk); break;
      case ChunkKind::Events:
        if (TaskId(header.task) == kDefinitionLane) return damaged(path_, offset, "an impossible task");
        stream(TaskId(header.task)).chunks.push_back(chunk);
        break;
      case ChunkKind::End: {
        if (!load(chunk, bytes)) return;
        Decoder in(bytes.data(), bytes.data() + bytes.size());
        std::uint32_t incomplete = 0;
        std::int32_t code = 0;
        Read{in}(end_.state, code, incomplete);
        end_.code = code;
        end_.incomplete = incomplete != 0;
        if (!in.ok()) return damaged(path_, offset, in.reason());
        break;
      }
      default: return damaged(path_, offset, "a chunk of an unknown kind");
    }
    stored_bytes_ += sizeof header + header.stored_size;
    offset = chunk.offset + header.stored_size;
  }
  if (!has_vocabulary) damaged(path_, offset, "the chunk with the names of calls is missing");
}

void RankTrace::read_live(const std::string& path) {
  const int live = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (live < 0) return;  // the usual case: the rank ended in order
  LiveHeader header{};
  if (!read_at(live, &header, sizeof header, 0) || std::memcmp(header.magic, kLiveMagic, sizeof kLiveMagic) != 0) {
    damaged(path, 0, "this is not the live file of a photofinish trace");
  } else if (header.version != kTraceVersion) {
    damaged(path, 8, "another version's live file");
  } else {
    end_.state = header.state;
    end_.code = header.state_code;
    end_.incomplete = header.incomplete != 0;
    for (std::uint64_t lane = 0; lane < header.lane_count; ++lane) {
      const std::uint64_t offset = kLivePage + lane * kLaneBytes;
      LaneHeader lane_header{};
      if (!read_at(live, &lane_header, sizeof lane_header, offset)) {
        damaged(path, offset, "the file ends inside a lane");
        break;
      }
      const bool definitions = lane_header.kind == ChunkKind::Definitions;
      if (!definitions && lane_header.kind != ChunkKind::Events) continue;
      if (lane_header.committed > kLaneData || lane_header.pending > kLaneData - lane_header.committed) {
        damaged(path, offset, "a lane says that it holds more than it can");
        break;
      }
      TaskStream& to = stream(definitions ? kDefinitionLane : TaskId(lane_header.task));
      to.tail.resize(lane_header.committed + lane_header.pending);
      to.tail_offset = offset + sizeof lane_header;
      to.tail_committed = lane_header.committed;
      to.in_call = lane_header.in_call;
      to.tail_sequence = lane_header.sequence;
      if (!read_at(live, to.tail.data(), to.tail.size(), to.tail_offset)) {
        to.tail.clear();
        to.tail_committed = 0;
        damaged(path, to.tail_offset, "the file ends inside a lane");
        break;
      }
    }
  }
  close(live);
}

// A rank that died between writing a chunk and emptying its lane leaves the same records twice.
void RankTrace::drop_written_tails() {
  for (auto& stream : streams_) {
    const auto& chunks = stream->task == kDefinitionLane ? definition_chunks_ : stream->chunks;
    if (!chunks.empty() && chunks.back().header.sequence >= stream->tail_sequence) {
      stream->tail.clear();
      stream->tail_committed = 0;
    }
  }
}

RankTrace::TaskStream& RankTrace::stream(TaskId task) {
  for (auto& stream : streams_)
    if (stream->task == task) return *stream;
  streams_.push_back(std::make_unique<TaskStream>());
  streams_.back()->task = task;
  return *streams_.back();
}

bool RankTrace::load(const ChunkPlace& chunk, std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> stored(chunk.header.stored_size);
  const std::uint64_t start = chunk.offset - sizeof(ChunkHeader);
  if (!read_at(file_, stored.data(), stored.size(), chunk.offset))
    return damaged(path_, chunk.offset, "cannot read a chunk"), false;
  const std::uint64_t checksum = XXH3_64bits_withSeed(
      stored.data(), stored.size(), XXH3_64bits(&chunk.header, offsetof(ChunkHeader, checksum)));
  if (checksum != chunk.header.checksum) return damaged(path_, start, "a chunk is damaged (checksum)"), false;
  // The frame must say the same size: only then is it worth the memory.
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != chunk.header.raw_size)
    return damaged(path_, start, "a chunk's sizes disagree"), false;
  bytes.resize(chunk.header.raw_size);
  const std::size_t size = ZSTD_decompress(bytes.data(), bytes.size(), stored.data(), stored.size());
  if (ZSTD_isError(size) || size != bytes.size())
    return damaged(path_, start, "a chunk cannot be decompressed"), false;
  return true;
}

void RankTrace::decode_definitions(const std::vector<std::uint8_t>& bytes, std::size_t size, const std::string& path,
                                   std::uint64_t offset) {
  Decoder in(bytes.data(), bytes.data() + size);
  while (!in.at_end()) {
    const std::size_t position = in.position();
    DefinitionKind kind{};
    Read{in}(kind);
    switch (kind) {
      case DefinitionKind::Rank: Read{in}(definitions_.rank); break;
      case DefinitionKind::Task: keep<TaskDefinition>(in, definitions_.tasks); break;
      case DefinitionKind::Module: keep<ModuleDefinition>(in, definitions_.modules); break;
      case DefinitionKind::Site: keep<SiteDefinition>(in, definitions_.sites); break;
      case DefinitionKind::Group: keep<GroupDefinition>(in, definitions_.groups); break;
      case DefinitionKind::Comm: keep<CommDefinition>(in, definitions_.comms); break;
      case DefinitionKind::Type: keep<TypeDefinition>(in, definitions_.types); break;
      case DefinitionKind::Op: keep<OpDefinition>(in, definitions_.ops); break;
      case DefinitionKind::Win: keep<WinDefinition>(in, definitions_.wins); break;
      default: in.fail("a definition of an unknown kind");
    }
    if (!in.ok())
      return damaged(path, offset, "definition at decompressed byte " + std::to_string(position) + ": " + in.reason());
  }
}

void RankTrace::rewind() {
  for (auto& stream : streams_) {
    stream->next_chunk = 0;
    stream->tail_done = false;
    stream->bytes.clear();
    stream->position = stream->committed = 0;
    stream->finished = false;
    advance(*stream);
  }
  delivered_ = nullptr;
}

bool RankTrace::next(const Event*& event) {
  if (delivered_ != nullptr) advance(*delivered_);
  delivered_ = nullptr;
  for (auto& stream : streams_)
    if (stream->has_event && (delivered_ == nullptr || stream->event.start < delivered_->event.start))
      delivered_ = stream.get();
  if (delivered_ == nullptr) return false;
  event = &delivered_->event;
  return true;
}

void RankTrace::advance(TaskStream& stream) {
  stream.has_event = false;
  while (!stream.finished && stream.position == stream.bytes.size())
    if (!next_bytes(stream)) stream.finished = true;
  if (!stream.finished) {
    stream.has_event = decode_event(stream);
    if (!stream.has_event) stream.finished = true;
  }
}

bool RankTrace::next_bytes(TaskStream& stream) {
  stream.position = 0;
  stream.last_end = 0;
  if (stream.next_chunk < stream.chunks.size()) {
    const ChunkPlace& chunk = stream.chunks[stream.next_chunk++];
    if (!load(chunk, stream.bytes)) return false;
    stream.bytes_offset = chunk.offset - sizeof(ChunkHeader);
    stream.committed = stream.bytes.size();
    return true;
  }
  if (stream.tail_done) return false;
  stream.tail_done = true;
  stream.bytes = stream.tail;
  stream.bytes_offset = stream.tail_offset;
  stream.committed = stream.tail_committed;
  return true;
}

bool RankTrace::decode_event(TaskStream& stream) {
  const std::string& path = stream.tail_done ? live_path_ : path_;
  // The pending half of a record lies behind the committed ones, and only there.
  const bool pending = stream.position >= stream.committed;
  const std::uint8_t* begin = stream.bytes.data();
  Decoder in(begin + stream.position, begin + (pending ? stream.bytes.size() : stream.committed));
  Read read{in};
  Event& event = stream.event;
  event.clear();
  event.task = stream.task;

  const auto fail = [&](const std::string& reason) {
    damaged(path, stream.bytes_offset,
            "event at decompressed byte " + std::to_string(stream.position) + ": " + reason);
    return false;
  };
  const auto read_fields = [&] {
    for (std::uint64_t mask = in.number(); mask != 0 && in.ok(); mask &= mask - 1) {
      const std::int64_t value = in.signed_number();
      if (const auto field = vocabulary_.field(static_cast<std::size_t>(std::countr_zero(mask)))) event.fields.set(*field, value);
    }
  };

  const auto call = vocabulary_.call(in.number());
  std::uint64_t start = 0, duration = 0;
  read(event.site, start);
  read_fields();
  read(event.buffers, event.requests, event.numbers);
  if (pending) {
    event.returned = false;
    if (!in.at_end()) in.fail("bytes behind the record of the call that did not return");
  } else {
    read(duration, event.result);
    read_fields();
    read(event.completions);
  }
  if (!in.ok()) return fail(in.reason());
  if (!call) return fail("a call that this photofinish does not know");
  for (const Buffer& buffer : event.buffers)
    if (static_cast<std::uint8_t>(buffer.access) >= kAccessCount) return fail("an access of an unknown kind");
  for (const Completion& completion : event.completions)
    if (completion.index >= event.requests.size()) return fail("a completion of a request that was not given");
  event.call = *call;
  const std::uint64_t begin_time = stream.last_end + start;
  stream.last_end = begin_time + duration;
  event.start = nanoseconds(begin_time, header_.ns_per_unit);
  event.duration = nanoseconds(duration, header_.ns_per_unit);
  stream.position += in.position();
  return true;
}

void RankTrace::damaged(const std::string& path, std::uint64_t offset, const std::string& reason) {
  if (damage_.empty()) damage_ = at(path, offset, reason);
}

}  // namespace photofinish
