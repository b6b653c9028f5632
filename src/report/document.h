// The report of one run as every format tells it: places looked up, sentences made, suppressions
// and baseline applied, once. Text, JSON, SARIF, HTML and Perfetto only arrange what is here.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/access.h"
#include "model/confirmation.h"
#include "model/limitation.h"
#include "report/suppressions.h"
#include "symbols/symbolizer.h"
#include "trace/findings_file.h"
#include "trace/run_directory.h"

namespace photofinish {

enum class FindingKind : std::uint8_t { OneSidedRace, BufferRace, MessageRace };
std::string_view kind_name(FindingKind kind);  // "one-sided race"
std::string_view rule_id(FindingKind kind);    // "one-sided-race": never changes

// A place in the program that is not one of the two sides: where an epoch was opened, where it was
// closed.
struct LocationDocument {
  std::string call;  // "MPI_Win_lock"; empty if not known
  std::vector<Frame> stack;
};

// One side of a race in memory; or a receive, the message that it got, or one that it could have
// got.
struct EndDocument {
  std::string role;      // "first", "second"; "receive", "got", "other"
  std::string access;    // "put", "load", "MPI_Irecv"; "receive", "send"
  std::string call;      // "MPI_Put", "load"; empty if not known
  std::string headline;  // as the text report has it
  bool nothing = false;  // a receive that was cancelled got nothing: there is no place
  WorldRank rank;
  std::optional<std::uint32_t> thread;  // of the rank; only where there are several
  std::vector<Frame> stack;
  std::string no_stack;              // why there is none, if that is known
  std::string source;                // the line of its leading frame; empty: not readable
  std::vector<std::string> regions;  // of the program's annotations, outermost first
  std::string epoch;                 // "epoch opened by …, open until …"; may be empty
  std::optional<LocationDocument> opened, closed;
  Timestamp begin = 0, end = kNever;  // of the rank
  std::uint64_t bytes = 0;
};

struct MemoryDocument {
  WorldRank owner;
  Uid win;                  // null: a buffer
  std::string window;       // its name; empty if it has none, or is a buffer
  std::int64_t offset = 0;  // in the window, or the address of a buffer
  std::int64_t bytes = 0;
};

struct FindingDocument {
  std::size_t number = 0;  // F1 is 1; the same in every format, whatever is suppressed
  FindingKind kind{};
  std::uint64_t key = 0;  // as confirmations have it
  std::optional<Confirmation> confirmation;
  std::uint64_t times = 1;
  std::set<WorldRank> ranks;
  std::vector<EndDocument> ends;
  std::optional<MemoryDocument> memory;
  std::string memory_text;  // 'window "halo" created by …'; may be empty
  std::string why, advice;
  // report/identity.h: the same for the same race in another build and another run.
  std::string identity, fingerprint;
  std::optional<std::size_t> suppressed_by;  // index in RunDocument::suppressions
  bool known = false;                        // the baseline has it
  bool counts() const {
    return !suppressed_by && !known;
  }  // for the exit code, and for those who want no noise
};

struct DeadlockDocument {
  struct Wait {
    WorldRank rank, on;
    std::string at;    // "MPI_Recv ring.c:31"
    std::string line;  // "rank 0 waits in MPI_Recv ring.c:31 for rank 1"
    std::vector<Frame> stack;
    std::string no_stack;
    std::string source;
  };
  bool came_about = false;
  std::uint64_t times = 1;
  std::vector<Wait> waits;
  std::vector<std::string> remarks;
  std::string advice;
};

struct RunDocument {
  std::string name;  // as the user calls it
  std::string directory;
  RunInfo info;
  std::string root;  // the folder that paths are told relative to
  int world_size = 0;
  std::string program, mpi;
  std::vector<WorldRank> recorded;
  std::vector<FindingDocument> findings;
  std::vector<DeadlockDocument> deadlocks;
  std::vector<Limitation> limitations;  // what was not seen, and so not checked
  std::vector<std::string> notes;       // one sentence each
  std::vector<std::string> verdicts;
  std::vector<Suppression> suppressions;  // with how often each was used
  std::string baseline;                   // what findings were compared with; empty: nothing

  std::size_t count(FindingKind kind) const;
  std::size_t deadlock_count() const;
  std::size_t suppressed() const;
  std::size_t known() const;
  std::size_t counting() const;  // those that are neither
  // What the exit code depends on. Incomplete: something was lost that nobody asked to leave out.
  bool has_findings() const { return counting() > 0 || deadlock_count() > 0; }
  bool incomplete() const;
};

// "solver.c" of "/home/me/project/solver.c" if the root is /home/me/project; else the path as it
// is.
std::string path_from(const std::string& root, const std::string& path);

struct DocumentOptions {
  std::string name;          // what the run is called; empty: as its directory
  std::string suppressions;  // a file; empty: none
  bool builtin_suppressions = true;
  std::string baseline;     // a run, or a report in JSON or SARIF; empty: none
  std::string source_root;  // what paths are told relative to; empty: found by the sources
  UnwrittenFindings unwritten = {};
};
// An Error if it is no run, was never analyzed, or something that it needs is damaged.
Result<RunDocument> read_document(const std::string& directory, const DocumentOptions& options);

}  // namespace photofinish
