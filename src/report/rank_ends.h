// How the ranks of a run ended, and which of them ended it.
//
// A launcher ends all ranks if one fails: that of Open MPI with SIGTERM, others with SIGKILL, which
// leaves no exit record. Rule: a rank that ended by itself (exit, MPI_Abort, a crash) comes before
// one that ended in another way, and that one before those that ended as the launcher ends ranks.
// Only the ranks of the first kind that occurs count as the cause.
#pragma once

#include <string>

#include "symbols/symbolizer.h"
#include "trace/reader.h"

namespace photofinish {

// The last call of a rank, and whether the rank reached MPI_Finalize.
struct LastCall {
  bool finalized = false;
  bool returned = true;
  bool has_to_finalize = false;     // it called MPI_Init
  bool launcher_kills = false;      // with SIGKILL
  std::string text;                 // "MPI_Recv solver.c:31"; empty: none
  std::string abort = "MPI_Abort";  // the call that aborts, by the programming model
};
LastCall last_call(RankTrace& trace, Symbolizer& symbolizer);

enum class EndCause { None, Launcher, Unknown, Own };

struct RankEnding {
  EndCause cause = EndCause::None;  // None: it ended normally
  bool crashed = false;
  std::string how;   // "signal 11 (SIGSEGV), after MPI_Put solver.c:31"
  std::string what;  // "the crash of {} after MPI_Put solver.c:31"
};
RankEnding ending_of(const RankEnd& end, const LastCall& last);

}  // namespace photofinish
