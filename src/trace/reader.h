// Reads the trace of one rank: a stream of events, in program order of each task, and their
// definitions.
//
// A trace may be larger than memory: one chunk per task is decoded at a time. It may be truncated,
// damaged, foreign, newer than this reader, or still being written. Intact parts are returned, then
// an Error with file, offset and reason. Nothing is used before its checksum is verified, nor
// without bounds checks.
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

// How a rank ended, as far as recorded.
struct RankEnd {
  // Running: no end is recorded; it is running, or was killed.
  RankState state = RankState::Running;
  int code = 0;
  // Recording stopped before the program did. The reason is in the definitions, IncompleteId(0).
  bool incomplete = false;
};

// A synchronous signal, caused by the process itself.
bool is_fault(int signal);

class RankTrace {
 public:
  static Result<std::unique_ptr<RankTrace>> open(const std::string& directory, WorldRank rank);
  ~RankTrace();

  WorldRank rank() const { return WorldRank(header_.rank); }
  int world_size() const { return header_.world_size; }
  const Definitions& definitions() const { return definitions_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const RankEnd& end() const { return end_; }
  // The time of a definition, as that of an event.
  std::uint64_t time(std::uint64_t units) const;
  // The damage after the readable part of the file; empty if none. Chunks are read on demand:
  // damage inside one is found then, or by verify(), which reads all.
  const std::string& damage() const { return damage_; }
  void verify();
  // Neither an end nor a live file exists: a part of the file is missing, even if the rest is
  // intact.
  bool is_truncated() const { return !has_end_ && !has_live_; }
  std::uint64_t stored_bytes() const { return stored_bytes_; }

  // The next event, tasks merged by time. False at the end, or at damage. Valid until the next
  // call.
  bool next(const Event*& event);
  void rewind();

  // The journal of a task, if recorded: whole entries, several at a time. False at the end, or at
  // damage.
  bool next_of_journal(TaskId task, std::vector<std::uint8_t>& entries);

 private:
  struct ChunkOffset {
    std::uint64_t offset = 0;  // of the payload
    ChunkHeader header{};
  };
  // The events of one task: its chunks in order, then the rest in its lane of the live file.
  struct TaskStream {
    TaskId task;
    std::vector<ChunkOffset> chunks;
    std::vector<std::uint8_t> tail;
    std::uint64_t tail_offset = 0;
    std::uint64_t tail_committed = 0;
    std::uint64_t tail_sequence = 0;  // of the chunk that it would have become
    // 1 + the call that recorded only its name, if the rank ended inside it.
    std::uint64_t in_call = 0;
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
  void insert_unreturned_calls();
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
  std::vector<TaskStream*> heap_;  // streams with an event, the earliest on top
  TaskStream* delivered_ = nullptr;
};

}  // namespace photofinish
