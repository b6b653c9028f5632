#include "trace/writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "base/private_file.h"
#include "trace/file_write.h"
#include "trace/vocabulary.h"

namespace photofinish {
namespace {

// Fast enough for the task that filled the lane. Records are so repetitive that higher levels gain
// little.
constexpr int kCompressionLevel = 1;
// Data that compresses badly, such as numerical data, is stored uncompressed, which takes less
// time. Compression is tried again after some chunks; after twice as many if it failed again.
constexpr std::uint8_t kMostPlainChunks = 120;

Error file_error(const std::string& what, const std::string& path, int error) {
  return {what + " " + path + ": " + std::strerror(error)};
}

int allocate(int file, std::uint64_t offset, std::size_t size) {
  NoSizeSignal no_signal;
  int error = 0;
  do error = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(size));
  while (error == EINTR);
  return error;
}

}  // namespace

struct TraceWriter::Compressor {
  ZSTD_CCtx* context = ZSTD_createCCtx();
};

std::string trace_path(const std::string& directory, WorldRank rank) {
  char name[32];
  std::snprintf(name, sizeof name, "/rank-%06d.trace", rank.value);
  return directory + name;
}

std::string live_path(const std::string& directory, WorldRank rank) {
  char name[32];
  std::snprintf(name, sizeof name, "/rank-%06d.live", rank.value);
  return directory + name;
}

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& directory,
                                                         const RankDefinition& rank,
                                                         double ns_per_unit, Complaint complain) {
  std::unique_ptr<TraceWriter> self(new TraceWriter);
  self->trace_path_ = trace_path(directory, rank.rank);
  self->live_path_ = live_path(directory, rank.rank);
  self->compressor_ = {new Compressor, [](Compressor* c) {
                         ZSTD_freeCCtx(c->context);
                         delete c;
                       }};
  self->compressed_.resize(ZSTD_compressBound(kLaneData));

  if (const auto started = self->start(rank, ns_per_unit); !started) {
    if (self->trace_ >= 0) unlink(self->trace_path_.c_str());
    if (self->live_file_ >= 0) unlink(self->live_path_.c_str());
    return started.error();
  }
  self->complain_ = complain;
  return self;
}

Result<bool> TraceWriter::start(const RankDefinition& rank, double ns_per_unit) {
  trace_ = open_private(trace_path_, O_WRONLY | O_EXCL);
  if (trace_ < 0) return file_error("cannot create", trace_path_, errno);
  live_file_ = open_private(live_path_, O_RDWR | O_EXCL);
  if (live_file_ < 0) return file_error("cannot create", live_path_, errno);
  if (const int error = allocate(live_file_, 0, kLivePage))
    return file_error("no room for", live_path_, error);
  void* page = mmap(nullptr, kLivePage, PROT_READ | PROT_WRITE, MAP_SHARED, live_file_, 0);
  if (page == MAP_FAILED) return file_error("cannot map", live_path_, errno);
  live_ = static_cast<LiveHeader*>(page);
  std::memcpy(live_->magic, kLiveMagic, sizeof kLiveMagic);
  live_->version = kTraceVersion;
  live_->rank = rank.rank.value;
  live_->state = RankState::Running;
  live_->pid = rank.pid;
  std::strncpy(live_->host, rank.host.c_str(), sizeof live_->host - 1);

  FileHeader header{};
  std::memcpy(header.magic, kFileMagic, sizeof kFileMagic);
  header.version = kTraceVersion;
  header.rank = rank.rank.value;
  header.world_size = rank.world_size;
  header.ns_per_unit = ns_per_unit;
  header.checksum = XXH3_64bits(&header, offsetof(FileHeader, checksum));
  if (!write_all(trace_, &header, sizeof header, 0))
    return file_error("cannot write", trace_path_, errno);
  trace_size_ = sizeof header;

  definitions_.writer_ = this;
  definitions_.header_ = map_lane(0);
  if (definitions_.header_ == nullptr) return file_error("no room for", live_path_, errno);
  definitions_.header_->kind = ChunkKind::Definitions;

  // Before recording has started, the caller reports failures.
  complain_ = [](const std::string&) {};
  const std::vector<std::uint8_t> vocabulary = encode_vocabulary();
  if (!write_chunk(ChunkKind::Vocabulary, 0, 0, vocabulary.data(), vocabulary.size()))
    return file_error("cannot write", trace_path_, errno);
  define(DefinitionKind::Rank, rank);
  return true;
}

TraceWriter::~TraceWriter() {
  const auto unmap = [](LaneHeader* lane) {
    if (lane != nullptr) munmap(lane, kLaneBytes);
  };
  for (const auto& lane : lanes_) unmap(lane->header_);
  unmap(definitions_.header_);
  if (live_ != nullptr) munmap(live_, kLivePage);
  if (live_file_ >= 0) close(live_file_);
  if (trace_ >= 0) close(trace_);
}

LaneHeader* TraceWriter::map_lane(std::size_t index) {
  const std::uint64_t offset = kLivePage + index * kLaneBytes;
  if (const int error = allocate(live_file_, offset, kLaneBytes)) {
    errno = error;
    return nullptr;
  }
  void* memory = mmap(nullptr, kLaneBytes, PROT_READ | PROT_WRITE, MAP_SHARED, live_file_,
                      static_cast<off_t>(offset));
  if (memory == MAP_FAILED) return nullptr;
  live_->lane_count = static_cast<std::uint32_t>(index + 1);
  return static_cast<LaneHeader*>(memory);
}

Lane* TraceWriter::open_lane(const TaskDefinition& task) {
  if (!recording_.load(std::memory_order_relaxed)) return nullptr;
  define(DefinitionKind::Task, task);
  return take_lane(task.id, ChunkKind::Events);
}

Lane* TraceWriter::open_journal(TaskId task) {
  return recording_.load(std::memory_order_relaxed) ? take_lane(task, ChunkKind::Journal) : nullptr;
}

Lane* TraceWriter::take_lane(TaskId task, ChunkKind kind) {
  std::lock_guard lock(mutex_);
  Lane* lane = nullptr;
  if (!free_lanes_.empty()) {
    lane = free_lanes_.back();
    free_lanes_.pop_back();
  } else {
    auto fresh = std::make_unique<Lane>();
    fresh->writer_ = this;
    fresh->header_ = map_lane(lanes_.size() + 1);
    if (fresh->header_ == nullptr) {
      stop(IncompleteReason::Disk, "no room for " + live_path_, errno);
      return nullptr;
    }
    lane = lanes_.emplace_back(std::move(fresh)).get();
  }
  lane->header_->task = task.value;
  lane->header_->sequence = 0;
  lane->header_->in_call = 0;
  lane->header_->kind = kind;
  return lane;
}

void TraceWriter::close_lane(Lane* lane) {
  std::lock_guard lock(mutex_);
  if (lane->header_->pending != 0)
    return;  // the thread ended inside a call: leave it for the reader
  seal(lane->header_);
  if (lane->header_->committed != 0) return;
  lane->header_->kind = ChunkKind{};
  free_lanes_.push_back(lane);
}

void Lane::begin(const Event& event, std::uint64_t start) {
  const std::size_t bytes = max_size(event, event.requests.size() + 1);
  std::uint8_t* room = data() + header_->committed;
  if (header_->committed + bytes > kLaneData) [[unlikely]] {
    room = make_room(bytes);
    if (room == nullptr) {
      record_ = nullptr;
      return;
    }
  }
  record_ = room;
  start_ = start;
  before_mask_ = event.fields.mask();
  if (header_->committed == 0) encoder_.new_chunk();
  after_ = encoder_.before(chunk(), room, event, start - header_->last_end);
  std::atomic_signal_fence(std::memory_order_release);
  if (oversized_.empty()) header_->pending = static_cast<std::uint64_t>(after_ - record_);
}

void Lane::finish(const Event& event, std::uint64_t end) {
  if (record_ == nullptr) {  // recording is off
    header_->in_call = 0;
    return;
  }
  const std::uint8_t* record_end =
      encoder_.after(chunk(), after_, event, end - start_, before_mask_);
  if (!oversized_.empty()) [[unlikely]] {
    std::lock_guard lock(writer_->mutex_);
    writer_->write_chunk(ChunkKind::Events, header_->task, header_->sequence, record_,
                         static_cast<std::size_t>(record_end - record_));
    ++header_->sequence;
    oversized_.clear();
    header_->in_call = 0;
    return;
  }
  std::atomic_signal_fence(std::memory_order_release);
  header_->last_end = end;
  header_->committed = static_cast<std::uint64_t>(record_end - data());
  header_->pending = 0;
  header_->in_call = 0;
}

void Lane::append(const std::uint8_t* entry, std::size_t size) {
  std::uint8_t* room = data() + header_->committed;
  if (header_->committed + size > kLaneData) [[unlikely]] {
    if (size > kLaneData) return append_alone(entry, size);
    room = make_room(size);
  }
  if (room == nullptr) return;
  std::memcpy(room, entry, size);
  std::atomic_signal_fence(std::memory_order_release);
  header_->committed += size;
}

void Lane::append_alone(const std::uint8_t* entry, std::size_t size) {
  if (!writer_->recording_.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(writer_->mutex_);
  writer_->seal(header_);
  if (writer_->recording_.load(std::memory_order_relaxed) &&
      writer_->write_chunk(header_->kind, header_->task, header_->sequence, entry, size))
    ++header_->sequence;
}

std::uint8_t* Lane::make_room(std::size_t bytes) {
  if (!writer_->recording_.load(std::memory_order_relaxed)) return nullptr;
  std::lock_guard lock(writer_->mutex_);
  writer_->seal(header_);
  if (!writer_->recording_.load(std::memory_order_relaxed)) return nullptr;
  if (bytes <= kLaneData) return data();
  oversized_.resize(bytes);
  return oversized_.data();
}

void TraceWriter::seal(LaneHeader* lane) {
  if (lane->committed == 0 || !recording_.load(std::memory_order_relaxed)) return;
  // If writing fails, the records stay in the lane: the live file keeps them.
  if (!write_lane(lane)) return;
  // The sequence is updated last: a reader that finds both the chunk and its sequence in the lane
  // knows that the bytes are the same.
  lane->committed = 0;
  lane->last_end = 0;
  std::atomic_signal_fence(std::memory_order_release);
  ++lane->sequence;
}

bool TraceWriter::write_lane(const LaneHeader* lane) {
  return write_chunk(lane->kind, lane->task, lane->sequence,
                     reinterpret_cast<const std::uint8_t*>(lane + 1), lane->committed);
}

bool TraceWriter::write_chunk(ChunkKind kind, std::uint32_t task, std::uint64_t sequence,
                              const std::uint8_t* data, std::size_t size) {
  if (size > kMaxChunk) {
    stop(IncompleteReason::Limit,
         "one record takes " + std::to_string(size) + " bytes, more than a trace can hold", 0);
    return false;
  }
  const std::uint8_t* payload = data;
  std::size_t stored = size;
  auto& [plain, next] = plain_chunks_[static_cast<std::size_t>(kind) % plain_chunks_.size()];
  if (plain > 0) {
    --plain;
  } else {
    const std::size_t bound = ZSTD_compressBound(size);
    if (compressed_.size() < bound) compressed_.resize(bound);
    stored = ZSTD_compressCCtx(compressor_->context, compressed_.data(), bound, data, size,
                               kCompressionLevel);
    if (ZSTD_isError(stored)) {
      stop(IncompleteReason::Internal, "cannot compress: " + std::string(ZSTD_getErrorName(stored)),
           0);
      return false;
    }
    const bool in_vain = size >= kLaneData / 2 && stored > size - size / 4;
    plain = in_vain ? next : 0;
    next = in_vain ? std::min<std::uint8_t>(2 * next, kMostPlainChunks) : Plain{}.next;
    if (stored < size)
      payload = compressed_.data();
    else
      stored = size;
  }
  ChunkHeader header{};
  header.magic = kChunkMagic;
  header.kind = kind;
  header.task = task;
  header.raw_size = static_cast<std::uint32_t>(size);
  header.sequence = sequence;
  header.stored_size = static_cast<std::uint32_t>(stored);
  header.checksum =
      XXH3_64bits_withSeed(payload, stored, XXH3_64bits(&header, offsetof(ChunkHeader, checksum)));
  if (!write_all(trace_, &header, sizeof header, trace_size_) ||
      !write_all(trace_, payload, stored, trace_size_ + sizeof header)) {
    const int error = errno;
    (void)!ftruncate(trace_, static_cast<off_t>(trace_size_));
    stop(IncompleteReason::Disk, "cannot write " + trace_path_, error);
    errno = error;
    return false;
  }
  trace_size_ += sizeof header + stored;
  return true;
}

std::uint8_t* TraceWriter::definition_room(std::size_t bytes) {
  LaneHeader* lane = definitions_.header_;
  if (lane->committed + bytes > kLaneData) seal(lane);
  if (!recording_.load(std::memory_order_relaxed)) return nullptr;
  if (bytes <= kLaneData) return definitions_.data() + lane->committed;
  definitions_.oversized_.resize(bytes);
  return definitions_.oversized_.data();
}

void TraceWriter::definition_done(std::uint8_t* end) {
  LaneHeader* lane = definitions_.header_;
  if (!definitions_.oversized_.empty()) {
    write_chunk(ChunkKind::Definitions, 0, lane->sequence++, definitions_.oversized_.data(),
                static_cast<std::size_t>(end - definitions_.oversized_.data()));
    definitions_.oversized_.clear();
    return;
  }
  std::atomic_signal_fence(std::memory_order_release);
  lane->committed = static_cast<std::uint64_t>(end - definitions_.data());
}

void TraceWriter::note_state(RankState state, int code) {
  // Launchers kill a rank that has called MPI_Abort. The abort counts.
  if (live_->state == RankState::Aborted && state == RankState::Signaled) return;
  live_->state_code = code;
  live_->state = state;
}

void TraceWriter::flush() {
  std::lock_guard lock(mutex_);
  seal(definitions_.header_);
  for (const auto& lane : lanes_)
    if (lane->header_->kind != ChunkKind{} && lane->header_->pending == 0) seal(lane->header_);
}

void TraceWriter::end(RankState state, int code) {
  note_state(state, code);
  // A signal handler may call exit() on top of one of our functions. Then the live file keeps
  // everything.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  // Unwritten records, and the lanes of tasks inside a call, stay in the live file for the reader.
  if (!recording_.load(std::memory_order_relaxed)) return;
  for (const auto& lane : lanes_)
    if (lane->header_->pending != 0 || lane->header_->in_call != 0) return;
  // Other threads may still be recording: their lanes are copied, not emptied.
  if (definitions_.header_->committed != 0 && !write_lane(definitions_.header_)) return;
  for (const auto& lane : lanes_)
    if (lane->header_->kind != ChunkKind{} && lane->header_->committed != 0 &&
        !write_lane(lane->header_))
      return;
  std::uint8_t payload[2 * kMaxVarint];
  Encoder out(payload);
  Write{out}(state, static_cast<std::int32_t>(code));
  const bool written =
      write_chunk(ChunkKind::End, 0, 0, payload, static_cast<std::size_t>(out.next() - payload));
  recording_.store(false, std::memory_order_relaxed);
  if (written) unlink(live_path_.c_str());
}

void TraceWriter::abandon() { recording_.store(false, std::memory_order_relaxed); }

void TraceWriter::discard() {
  abandon();
  unlink(trace_path_.c_str());
  unlink(live_path_.c_str());
}

void TraceWriter::stop_recording(IncompleteReason reason, const char* why) {
  if (!recording_.exchange(false)) return;
  std::strncpy(live_->why, why, sizeof live_->why - 1);
  std::atomic_signal_fence(std::memory_order_release);
  live_->incomplete = reason;
}

void TraceWriter::stop(IncompleteReason reason, const std::string& what, int error) {
  if (!recording_.load(std::memory_order_relaxed)) return;
  std::string line = what;
  if (error != 0) line += std::string(": ") + std::strerror(error);
  stop_recording(reason, line.c_str());
  complain_(line + "; recording stops here, the program continues");
}

}  // namespace photofinish
