// The schedule of a confirming or explored run, which the tool writes for the ranks, and the result
// that each rank leaves for the tool. Both are files in the directory of that run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/process_times.h"
#include "base/result.h"
#include "model/access.h"
#include "model/ids.h"

namespace photofinish {

struct ScheduledSide {
  AccessKind kind{};
  Call call{};
  // Other forms of the same access. A UPC program loads and stores its thread's own memory, and
  // accesses that of other threads by calls.
  struct Form {
    AccessKind kind{};
    Call call{};
    bool operator==(const Form&) const = default;
  };
  std::vector<Form> also = {};
  std::vector<std::uint64_t>
      site_keys;  // place_key of whole stacks; of loads and stores: of the innermost frame alone
  std::vector<std::uint32_t> lines;  // of loads and stores: those of their sites (base/line_key.h)
  // Only this rank takes part, from this arrival on; kAnySource: every rank.
  WorldRank rank = kAnySource;
  std::uint64_t arrival = 0;

  template <class Is>
  bool any_form(Is is) const {
    for (const Form& form : also)
      if (is(form)) return true;
    return is(Form{kind, call});
  }
  bool is_call(Call made) const {
    return any_form([&](const Form& form) { return form.call == made; });
  }
};

enum class RaceKind : std::uint8_t { Memory, Message };

// Which dynamic instances of the race are steered.
enum class Scope : std::uint8_t {
  One,    // the first at which two tasks meet
  Every,  // all of them, in the same order
  Off,    // none: a control run
};

struct Schedule {
  RaceKind kind{};
  Scope scope = Scope::One;
  bool own_operation = false;        // both sides are one task's: its operation, and a later access
  bool synchronous = false;          // no standard send is buffered
  bool second_window = false;        // an operation is in an epoch that cannot be flushed
  bool threads = false;              // the sides are different threads of one rank
  std::vector<ScheduledSide> sides;  // two; of a message race: the receive
  std::uint32_t first = 0;           // the side that goes first
  std::uint32_t unit_ms = 0;         // --pause-ms: the unit of all waits
  std::uint32_t pause_ms = 0;        // of each pause
  std::uint32_t patience_ms = 0;     // of all pauses of a rank
  std::uint64_t seed = 0;
  // Of a race in a window: the offset of its bytes; null: in a buffer.
  Uid win;
  std::int64_t offset = 0;
  std::uint64_t bytes = 0;
  // Of a message race: the messages that the wildcard receives and probes of that rank match, in
  // order, and the index of the steered one.
  struct Match {
    WorldRank source;
    std::int64_t tag = kAnyTag;
  };
  std::vector<Match> matches;
  std::uint64_t steered = 0;
  // Ranks whose wildcard receives match what they matched in the recorded run: other message races
  // do not disturb the one that is tried.
  struct HeldRank {
    WorldRank rank;
    std::vector<Match> matches;
  };
  std::vector<HeldRank> held;
  // The run is explored: every rank is recorded, and the wildcard receives in `held` name their
  // source at once. A run that cannot follow hangs, and its record shows it.
  bool explores = false;
  // This rank stops at its access of the race until a debugger is attached, and the others wait for
  // it without a limit; kProcNull: none.
  WorldRank debugged = kProcNull;
  // The access sites of the other races on memory. Until the meeting, the rank of side 0 passes
  // them first, so that they have the same order in every run.
  std::vector<ScheduledSide> other_sites;
};

// Both parties of each instance are in one rank: the race is on one of its buffers.
inline bool meets_in_one_rank(const Schedule& schedule) {
  return (schedule.own_operation || schedule.threads) && schedule.win == Uid();
}

// What one run steers. Several findings have no rank in common.
struct Schedules {
  std::vector<Schedule> findings;
  bool by_messages = false;  // even where all ranks share a node
};

// The finding that a rank takes part in; the first if in none, or if every rank does.
std::size_t finding_of(const Schedules& schedules, WorldRank rank);

// The result of one rank. In memory that is mapped from a file: it survives the rank.
struct RankResult {
  std::uint64_t reached[2];  // how often it reached each side
  std::uint64_t pauses, paused_ns;
  std::uint32_t met, forced;
  std::int32_t ranks[2];  // of the last meeting, by side
  std::uint64_t arrivals[2];
  std::uint32_t finding;                    // of those of this run
  std::uint32_t by_messages;                // counts only if both ranks have stored it
  std::uint32_t meetings, forced_meetings;  // with Scope::Every: those that this rank has closed
  std::int32_t rank;
  std::uint32_t steered;       // the rank follows the schedule
  std::int32_t stopped;        // its process, while it waits for a debugger
  std::int32_t found_stopped;  // 1 + the last rank that it found stopped (SIGSTOP); 0: none
  std::uint32_t released;      // by the tool: it waits no longer
};

// The results of all ranks together, for one finding of the run.
struct Verdict {
  bool seen = false, forced = false;  // forced: each meeting was in the order that was asked for
  std::uint64_t meetings = 0;
  std::vector<WorldRank> ranks;  // by side
  std::vector<std::uint64_t> arrivals;
  std::uint64_t reached[2] = {0, 0};
  WorldRank stopped = kProcNull;  // by the system, for some time
  bool by_messages = false;       // between nodes: one instance was steered
};
Verdict verdict_of(const std::vector<RankResult>& results, std::size_t finding);

inline constexpr const char* kScheduleFile = "/schedule";
inline constexpr const char* kTableFile = "/rendezvous";

Result<bool> write_schedules(const std::string& directory, const Schedules& schedules);
Result<Schedules> read_schedules(const std::string& directory);

std::string rank_result_path(const std::string& directory, WorldRank rank);
// The process of a rank that waits for a debugger; 0: it does not, or not yet.
int stopped_process(const std::string& directory, WorldRank rank);
void release_stopped(const std::string& directory, WorldRank rank);
// Of all ranks that have left one.
std::vector<RankResult> read_rank_results(const std::string& directory, int ranks);

// Watches from outside whether a run on one node hangs: all its ranks are in calls that wait, and
// none of them has entered or left a call.
class StallWatch {
 public:
  StallWatch(const std::string& directory, std::size_t findings, int ranks)
      : path_(directory + kTableFile), findings_(findings), ranks_(ranks) {}
  // Whether this was so at the last check, and has not changed since. A run with a rank that is
  // stopped from outside does not hang, nor does one with a rank that had no core to progress on.
  bool is_stalled();
  std::optional<WorldRank> stopped_rank() const;

 private:
  // One for each rank: the words (`row` 0) or the processes (1). Empty: there are none yet.
  std::vector<std::uint64_t> read_row(std::size_t row) const;

  std::string path_;
  std::size_t findings_;
  int ranks_;
  std::vector<std::uint64_t> last_ = {};
  std::vector<Starvation> starvations_ = {};  // of each rank, since the words changed
};

// `bytes` of memory shared with every process that maps the same file, zero at first; null if it
// cannot be mapped.
void* map_shared_file(const std::string& path, std::size_t bytes);

}  // namespace photofinish
