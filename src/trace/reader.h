// The reading half: one rank's trace as a stream of events in the order of each task, and the
// definitions they refer to.
//
// A trace may be larger than memory: one chunk of each task is decoded at a time. It may be cut
// off, damaged, foreign, newer than this reader, or still being written: what is whole is
// delivered, then an Error names the file, the offset and the reason. Nothing in a file is believed
// before its checksum is, and nothing after it without a bounds check.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "model/definitions.h"
#include "model/event.h"
#include "trace/event_codec.h"
#include "trace/format.h"
#include "trace/vocabulary.h"

namespace photofinish {

// How a rank ended, as far as it could still say.
struct RankEnd {
  RankState state =
      RankState::Running;  // Running: it never said; it is running, or was killed outright
  int code = 0;
  // Recording stopped before the program did; why is in the definitions, IncompleteId(0).
  bool incomplete = false;
};

// A signal that a process gets for what it does itself.
bool is_fault(int signal);

class RankTrace {
 public:
  static Result<std::unique_ptr<RankTrace>> open(const std::string& directory, WorldRank rank);
  ~RankTrace();

  WorldRank rank() const { return WorldRank(header_.rank); }
  int world_size() const { return header_.world_size; }
  const Definitions& definitions() const { return definitions_; }
  const RankEnd& end() const { return end_; }
  // What is wrong with the file beyond the point up to which it can be read; empty if nothing is.
  // Chunks are read when they are needed: damage inside one shows then, or when `verify` reads all.
  const std::string& damage() const { return damage_; }
  void verify();
  // Neither did the rank write its end, nor is its live file there: a part of the file is missing,
  // even if what is left is whole.
  bool is_truncated() const { return !has_end_ && !has_live_; }
  std::uint64_t stored_bytes() const { return stored_bytes_; }

  // The next event, tasks merged by time. False at the end, or at the damage. The reference lives
  // until the next call.
  bool next(const Event*& event);
  void rewind();

  // What the outside gave a task, if it was recorded: whole entries, some at a time. False at the
  // end, or at the damage.
  bool next_of_journal(TaskId task, std::vector<std::uint8_t>& entries);

 private:
  struct ChunkOffset {
    std::uint64_t offset = 0;  // of the payload
    ChunkHeader header{};
  };
  // One task's events: its chunks in order, then what its lane in the live file still holds.
  struct TaskStream {
    TaskId task;
    std::vector<ChunkOffset> chunks;
    std::vector<std::uint8_t> tail;
    std::uint64_t tail_offset = 0;
    std::uint64_t tail_committed = 0;
    std::uint64_t tail_sequence = 0;  // of the chunk that it would have become
    std::uint64_t in_call = 0;  // 1 + the call that left only its name, if the rank ended inside it
    std::uint64_t in_call_pc = 0;
    SiteId in_call_site;
    std::size_t next_chunk = 0;
    bool tail_done = false;
    bool in_call_done = false;
    std::vector<std::uint8_t> bytes;
    std::uint64_t bytes_offset = 0;
    std::size_t position = 0;
    std::size_t committed = 0;
    std::uint64_t last_end = 0;
    EventDecoder decoder;
    Event event;
  };

  struct JournalStream {
    std::vector<ChunkOffset> chunks;
    std::vector<std::uint8_t> tail;
    std::uint64_t tail_sequence = 0;
    std::size_t next = 0;
  };

  RankTrace() = default;
  bool read_header(Error& error);
  void make_names_printable();
  void scan_chunks();
  void cut_off(std::uint64_t offset, const std::string& reason);
  void read_live(const std::string& path);
  void drop_written_tails();
  bool load(const ChunkOffset& chunk, std::vector<std::uint8_t>& bytes);
  void decode_definitions(const std::vector<std::uint8_t>& bytes, std::size_t size,
                          const std::string& path, std::uint64_t offset);
  void advance(TaskStream& stream);
  bool next_bytes(TaskStream& stream);
  bool decode_event(TaskStream& stream);
  bool decode_next(TaskStream& stream);
  bool make_unreturned(TaskStream& stream);
  void location_unreturned_calls();
  static bool later(const TaskStream& a, const TaskStream& b);
  void damaged(const std::string& path, std::uint64_t offset, const std::string& reason);
  TaskStream& stream(TaskId task);

  std::string path_, live_path_;
  int file_ = -1;
  bool has_live_ = false, has_end_ = false;
  std::uint64_t file_size_ = 0;
  std::uint64_t stored_bytes_ = 0;
  FileHeader header_{};
  Vocabulary vocabulary_;
  Definitions definitions_;
  RankEnd end_;
  std::string damage_;
  std::vector<std::unique_ptr<TaskStream>> streams_;
  std::vector<ChunkOffset> definition_chunks_;
  std::map<TaskId, JournalStream> journals_;
  std::unordered_map<TaskId, TaskStream*> stream_of_task_;
  std::vector<TaskStream*> heap_;  // those that have an event, the earliest on top
  TaskStream* delivered_ = nullptr;
};

}  // namespace photofinish
