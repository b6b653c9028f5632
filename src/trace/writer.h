// Writes the trace of a rank, inside the user's process.
//
// Each task appends to its own lane: memory mapped from rank-N.live. So recorded events survive
// SIGKILL without a signal handler or a system call per event. A full lane is compressed and
// appended to rank-N.trace as a chunk. Lanes are allocated on disk before use: a full disk is an
// error of write(), never a SIGBUS in the program.
//
// Invariant: a record is either entirely in committed chunks or entirely in its lane.
// LaneHeader::sequence shows which, if the process dies between the two.
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "model/definitions.h"
#include "model/event.h"
#include "trace/codec.h"
#include "trace/event_codec.h"
#include "trace/format.h"

namespace photofinish {

class TraceWriter;

// Thrown if a caller needs events that are no longer recorded.
class RecordingStopped final : public std::exception {
 public:
  const char* what() const noexcept override { return "recording stopped"; }
};

class Lane {
 public:
  // An event whose call may wait: its first half is recorded while it does.
  void begin(const Event& event, std::uint64_t start);
  void finish(const Event& event, std::uint64_t end);
  // An event whose call has returned.
  void append(const Event& event, std::uint64_t start, std::uint64_t end) {
    begin(event, start);
    finish(event, end);
  }
  // A call that does not wait records only its name until it returns.
  void entered(Call call, std::uint64_t pc) {
    header_->in_call_pc = pc;
    header_->in_call = static_cast<std::uint64_t>(call) + 1;
  }
  void left() { header_->in_call = 0; }

  // Appends to a journal: the bytes are recorded entirely or not at all.
  void append(const std::uint8_t* entry, std::size_t size);

 private:
  friend class TraceWriter;
  // Start of the records that are not yet a chunk. An event larger than a lane has a chunk of its
  // own.
  std::uint8_t* chunk() { return oversized_.empty() ? data() : oversized_.data(); }
  std::uint8_t* data() const { return reinterpret_cast<std::uint8_t*>(header_ + 1); }
  [[gnu::cold, gnu::noinline]] std::uint8_t* make_room(std::size_t bytes);
  [[gnu::cold, gnu::noinline]] void append_alone(const std::uint8_t* entry, std::size_t size);

  TraceWriter* writer_ = nullptr;
  LaneHeader* header_ = nullptr;
  std::uint8_t* record_ = nullptr;  // start of the begun event; null while recording is off
  std::uint8_t* after_ = nullptr;   // position of its second half
  std::uint64_t start_ = 0;
  std::uint64_t before_mask_ = 0;
  EventEncoder encoder_;
  std::vector<std::uint8_t> oversized_;  // an event larger than a lane
};

class TraceWriter {
 public:
  // Called once, with one line, if recording stops before the program does.
  using Complaint = void (*)(const std::string& line);

  ~TraceWriter();  // leaves the files as they are, as the end of the process would
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& directory,
                                                     const RankDefinition& rank, double ns_per_unit,
                                                     Complaint complain);

  Lane* open_lane(const TaskDefinition& task);
  Lane* open_journal(TaskId task);
  void close_lane(Lane* lane);

  template <class Definition>
  void define(DefinitionKind kind, const Definition& definition);
  // All definitions, for analysis while the program runs. Read without a lock. Once threads record
  // their own loads and stores, definitions that only those need are omitted, except from the
  // thread that called begin_threads().
  const Definitions& known() const { return known_; }
  // The same while other threads may define something.
  template <class Read>
  auto read_known(Read read) {
    std::lock_guard lock(mutex_);
    return read(known_);
  }
  void begin_threads() {
    first_thread_ = std::this_thread::get_id();
    has_threads_.store(true, std::memory_order_release);
  }

  bool is_recording() const { return recording_.load(std::memory_order_relaxed); }

  // How the rank is ending. Only stores to mapped memory, so it is async-signal-safe.
  void note_state(RankState state, int code);
  RankState state() const { return live_->state; }
  void note_overlapping_calls() { live_->calls_overlap = 1; }

  // Writes the contents of the lanes. end() is for a normal exit: it leaves one complete file.
  void flush();
  void end(RankState state, int code);
  // Stops recording, and notes the reason in the live file, without a lock, an allocation or a
  // system call. The first reason counts.
  void stop_recording(IncompleteReason reason, const char* why);

  // In a forked child: the files belong to the parent.
  void abandon();
  // Removes all files of this rank.
  void discard();

 private:
  friend class Lane;
  TraceWriter() = default;
  Result<bool> start(const RankDefinition& rank, double ns_per_unit);
  LaneHeader* map_lane(std::size_t index);
  Lane* take_lane(TaskId task, ChunkKind kind);
  bool write_lane(const LaneHeader* lane);
  void seal(LaneHeader* lane);  // requires mutex_
  bool write_chunk(ChunkKind kind, std::uint32_t task, std::uint64_t sequence,
                   const std::uint8_t* data, std::size_t size);
  void stop(IncompleteReason reason, const std::string& what, int error);

  std::string trace_path_, live_path_;
  int trace_ = -1;
  int live_file_ = -1;
  LiveHeader* live_ = nullptr;
  Complaint complain_ = nullptr;
  std::atomic<bool> recording_{true};
  std::mutex mutex_;
  std::uint64_t trace_size_ = 0;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> free_lanes_;
  Lane definitions_;
  Definitions known_;
  std::atomic<bool> has_threads_{false};
  std::thread::id first_thread_;
  std::vector<std::uint8_t> compressed_;
  struct Plain {
    std::uint8_t chunks = 0, next = 15;  // remaining; and after the next failure
  };
  std::array<Plain, 8> plain_chunks_{};  // by kind
  struct Compressor;
  std::unique_ptr<Compressor, void (*)(Compressor*)> compressor_{nullptr, nullptr};

  std::uint8_t* definition_room(std::size_t bytes);  // requires mutex_
  void definition_done(std::uint8_t* end);
};

template <class Definition>
void TraceWriter::define(DefinitionKind kind, const Definition& definition) {
  if (!recording_.load(std::memory_order_relaxed)) return;
  Size size;
  size(kind, definition);
  std::lock_guard lock(mutex_);
  const bool may_be_of_thread = kind == DefinitionKind::Site || kind == DefinitionKind::Type ||
                                kind == DefinitionKind::Module;
  if (!may_be_of_thread || !has_threads_.load(std::memory_order_acquire) ||
      std::this_thread::get_id() == first_thread_)
    known_.add(definition);
  std::uint8_t* room = definition_room(size.bytes);
  if (room == nullptr) return;
  Encoder out(room);
  Write{out}(kind, definition);
  definition_done(out.next());
}

}  // namespace photofinish
