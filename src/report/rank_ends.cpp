#include "report/rank_ends.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "report/caf_words.h"
#include "report/event_text.h"
#include "report/site_text.h"

namespace photofinish {

LastCall last_call(RankTrace& trace, Symbolizer& symbolizer) {
  LastCall last;
  const Event* event = nullptr;
  Call call{};
  SiteId site;
  bool any = false;
  trace.rewind();
  while (trace.next(event)) {
    any = true;
    call = event->call;
    site = event->site;
    last.returned = event->returned;
    last.finalized |= traits(call).action == Action::Finalize;
    last.has_to_finalize |= traits(call).action == Action::Init;
    if (traits(call).action == Action::Abort) last.abort = source_name(call);
  }
  if (!any) return last;
  last.launcher_kills = trace.definitions().rank.library.find("Open MPI") == std::string::npos;
  // OpenSHMEM, UPC and coarray programs may end without MPI_Finalize.
  for (const auto& [id, win] : trace.definitions().wins)
    last.has_to_finalize &= win.flavour != WinFlavour::Symmetric;
  const std::string location = SiteText(trace.definitions(), symbolizer).location(site);
  last.text = fmt::format("{}{}{}", source_name(call), location.empty() ? "" : " ", location);
  return last;
}

RankEnding ending_of(const RankEnd& end, const LastCall& last) {
  const std::string in = last.returned ? "" : " in " + last.text;
  const std::string at = !in.empty() || last.text.empty() ? in : " after " + last.text;
  const auto also = [](const std::string& where) { return where.empty() ? "" : "," + where; };
  RankEnding ending{.how = end_text(end) + also(in)};
  switch (end.state) {
    case RankState::Aborted:
      ending.cause = EndCause::Own;
      ending.what = fmt::format("{} by {{}} with code {}", last.abort, end.code);
      break;
    case RankState::Exited:
      if (end.code == 0 && (last.finalized || !last.has_to_finalize)) {
        if (!end.incomplete) ending.how.clear();
        break;
      }
      ending.cause = EndCause::Own;
      ending.what = fmt::format("the exit of {{}} with code {}{}", end.code, in);
      if (end.code != 0) break;
      ending.what = "the exit of {} before MPI_Finalize";
      ending.how = fmt::format("{} without MPI_Finalize{}", end_text(end), also(at));
      break;
    case RankState::Signaled:
      ending.crashed = is_fault(end.code);
      ending.cause = ending.crashed                                ? EndCause::Own
                     : end.code == SIGTERM && !last.launcher_kills ? EndCause::Launcher
                                                                   : EndCause::Unknown;
      ending.how = end_text(end) + also(at);
      ending.what = ending.crashed
                        ? fmt::format("the crash of {{}}{}", at)
                        : fmt::format("the end of {{}} by SIG{}{}",
                                      sigabbrev_np(end.code) ? sigabbrev_np(end.code) : "?", in);
      break;
    case RankState::Finalized:
      break;
    default:
      ending.cause = last.launcher_kills ? EndCause::Launcher : EndCause::Unknown;
      ending.what = fmt::format("the sudden end of {{}}{}", in);
  }
  return ending;
}

}  // namespace photofinish
