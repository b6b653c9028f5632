// The report of one run, independent of the format. Call sites are resolved, sentences built,
// suppressions and baseline applied here, once. Text, JSON, SARIF, HTML and Perfetto only arrange
// this data.
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
std::string_view rule_id(FindingKind kind);    // "one-sided-race": stable

// A call site other than the two access sites: where an epoch was opened or closed.
struct LocationDocument {
  std::string call;  // "MPI_Win_lock"; empty if unknown
  std::vector<Frame> stack;
};

// One access of a race in memory; or a receive, the message that it matched, or one that it could
// have matched.
struct EndDocument {
  std::string role;      // "first", "second"; "receive", "got", "other"
  std::string access;    // "put", "load", "MPI_Irecv"; "receive", "send"
  std::string call;      // "MPI_Put", "load"; empty if unknown
  std::string headline;  // as in the text report
  bool nothing = false;  // a cancelled receive has no match: there is no call site
  WorldRank rank;
  std::optional<std::uint32_t> thread;  // only if the rank has several threads
  std::vector<Frame> stack;
  std::string no_stack;              // why there is none, if known
  std::string source;                // the line of the leading frame; empty: not readable
  std::vector<std::string> regions;  // from the program's annotations, outermost first
  std::string epoch;                 // "epoch opened by …, open until …"; may be empty
  std::optional<LocationDocument> opened, closed;
  Timestamp begin = 0, end = kNever;  // of this rank
  std::uint64_t bytes = 0;
};

struct MemoryDocument {
  WorldRank owner;
  Uid win;                  // null: a buffer
  std::string window;       // its name; empty if it has none, or for a buffer
  std::int64_t offset = 0;  // in the window, or the address of the buffer
  std::int64_t bytes = 0;
};

struct FindingDocument {
  std::size_t number = 0;  // 1 for F1; the same in every format, independent of suppressions
  FindingKind kind{};
  std::uint64_t key = 0;  // the key in confirmation files
  std::optional<Confirmation> confirmation;
  std::uint64_t times = 1;
  std::set<WorldRank> ranks;
  std::string_view process = "rank";  // what the programming model calls a rank
  std::vector<EndDocument> ends;
  std::optional<MemoryDocument> memory;
  std::string memory_text;  // 'window "halo" created by …'; may be empty
  std::string why, advice;
  // report/identity.h: equal for the same race in another build or run.
  std::string identity, fingerprint;
  std::optional<std::size_t> suppressed_by;                 // index in RunDocument::suppressions
  bool known = false;                                       // part of the baseline
  bool counts() const { return !suppressed_by && !known; }  // counts for the exit code
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
  bool certain = true;            // false: only if a receive matches another message
  std::optional<bool> confirmed;  // whether photofinish confirm saw the predicted one
  std::uint64_t times = 1;
  std::vector<Wait> waits;
  std::vector<std::string> remarks;
  std::string advice;
};

struct RunDocument {
  std::string name;  // the user's name of it
  std::string directory;
  RunInfo info;
  std::string root;  // paths are relative to this folder
  int world_size = 0;
  std::string program, mpi;
  std::vector<WorldRank> recorded;
  std::vector<FindingDocument> findings;
  std::vector<DeadlockDocument> deadlocks;
  std::vector<Limitation> limitations;  // what was not checked
  std::vector<std::string> notes;       // one sentence each
  std::vector<std::string> verdicts;
  std::vector<Suppression> suppressions;  // with the number of findings that each hides
  std::string baseline;                   // the name of the baseline; empty: none
  // Modules of the user that changed since the run, so that call sites have no lines.
  std::vector<std::string> changed_modules;

  std::size_t count(FindingKind kind) const;
  std::size_t deadlock_count() const;
  std::size_t suppressed() const;
  std::size_t known() const;
  std::size_t counting() const;  // neither suppressed nor known
  // These determine the exit code. Incomplete: data was lost that the user did not exclude.
  bool has_findings() const { return counting() > 0 || deadlock_count() > 0; }
  bool incomplete() const;
};

// "solver.c" for "/home/me/project/solver.c" if the root is /home/me/project; otherwise the whole
// path.
std::string path_from(const std::string& root, const std::string& path);

struct DocumentOptions {
  std::string name;          // the name of the run; empty: that of its directory
  std::string suppressions;  // a file; empty: none
  bool builtin_suppressions = true;
  std::string baseline;     // a run, or a report in JSON or SARIF; empty: none
  std::string source_root;  // the root of relative paths; empty: derived from the sources
  UnwrittenFindings unwritten = {};
};
// An Error if the directory is no run, was never analyzed, or is damaged.
Result<RunDocument> read_document(const std::string& directory, const DocumentOptions& options);

}  // namespace photofinish
