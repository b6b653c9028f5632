#include "report/coverage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "report/block.h"
#include "report/caf_words.h"
#include "report/event_text.h"
#include "report/rank_ends.h"
#include "report/run_notes.h"
#include "report/sampling_text.h"
#include "report/site_text.h"
#include "symbols/pass_notes.h"
#include "trace/interruption.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

class Collector {
 public:
  Collector(const std::string& directory, const RunFindings& findings)
      : directory_(directory),
        findings_(findings),
        saved_(saved_symbols(directory)),
        symbolizer_(saved_) {}

  std::vector<Limitation> collect() {
    const auto ranks = recorded_ranks(directory_);
    if (!ranks) return {};
    std::int32_t world_size = 0;
    for (const WorldRank rank : *ranks) {
      const auto trace = RankTrace::open(directory_, rank);
      if (!trace) {
        damaged_[trace.error().message].insert(rank);
        continue;
      }
      world_size = std::max(world_size, (*trace)->world_size());
      check_at(**trace);
    }
    std::set<WorldRank> missing;
    for (std::int32_t rank = 0; rank < world_size; ++rank)
      if (!std::binary_search(ranks->begin(), ranks->end(), WorldRank(rank)))
        missing.insert(WorldRank(rank));
    report_losses(missing);
    report_limits();
    saved_->write();
    return std::move(all_);
  }

 private:
  void check_at(RankTrace& trace) {
    const WorldRank rank = trace.rank();
    const RankEnd& end = trace.end();
    for (const auto& [id, incomplete] : trace.definitions().incompletes) {
      Incomplete& all = incomplete_[incomplete.reason];
      all.ranks.insert(rank);
      if (all.text.empty()) all.text = incomplete.text;
    }
    if (reads_traces()) trace.verify();
    const bool damaged = !trace.damage().empty() || trace.is_truncated();
    if (!trace.damage().empty())
      damaged_[trace.damage()].insert(rank);
    else if (damaged)
      damaged_[trace_path(directory_, rank) +
               ": the file ends before the rank does, and its live file is missing"]
          .insert(rank);
    if (end.state != RankState::Finalized && !damaged && !end.incomplete)
      if (const LastCall last = last_call(trace, symbolizer_); !last.finalized)
        if (const RankEnding ending = ending_of(end, last); ending.cause != EndCause::None)
          ended_[ending.cause][ending.what].insert(rank);
    const Definitions& definitions = trace.definitions();
    std::set<std::int64_t> threads;
    for (const auto& [id, task] : definitions.tasks) threads.insert(task.os_thread);
    if (threads.size() > 1 && !follows_threads(rank)) threaded_.insert(rank);
    for (const auto& [id, sampling] : definitions.samplings) sampled_.push_back({rank, sampling});
    if (!definitions.wins.empty()) {
      programs_[definitions.rank.program].insert(rank);
      if (!is_unchanged(definitions)) changed_.insert(definitions.rank.program);
    }
    for (const auto& [id, win] : definitions.wins)
      openshmem_ |= win.flavour == WinFlavour::Symmetric;
    for (const auto& [id, comm] : definitions.comms) coarrays_ |= comm.name == "all images";
  }

  // Whether the synchronization of the rank's threads was recorded.
  bool follows_threads(WorldRank rank) const {
    const auto trace = RankTrace::open(directory_, rank);
    const Event* event = nullptr;
    while (trace && (*trace)->next(event))
      if (event->fields.has(Field::order)) return true;
    return false;
  }

  // Whether the findings came from the traces, not from the analysis during the run.
  bool reads_traces() const {
    return findings_.from_traces || !findings_.messages || !findings_.messages->followed;
  }

  // Whether the executable is unchanged since the run.
  bool is_unchanged(const Definitions& definitions) {
    for (const auto& [id, module] : definitions.modules)
      if (module.path == definitions.rank.program)
        return symbolizer_.matches(module.path, module.build_id);
    return true;
  }

  // What the first report found, since the program may have been rebuilt.
  NotInstrumented instrumentation_of(const std::string& program) {
    const std::string brief = "unchecked: " + program, text = "not instrumented: " + program;
    const std::string *known_brief = saved_->remark(brief), *known_text = saved_->remark(text);
    if (known_brief != nullptr && known_text != nullptr) return {*known_brief, *known_text};
    if (changed_.contains(program)) return {};
    NotInstrumented found = not_instrumented(program, openshmem_, coarrays_);
    if (!found.brief.empty()) {
      saved_->add_remark(brief, found.brief);
      saved_->add_remark(text, found.text);
    }
    return found;
  }

  void add(LimitationKind kind, std::set<WorldRank> ranks, std::string brief, std::string text) {
    all_.push_back({kind, std::move(ranks), std::move(brief), std::move(text)});
  }

  void report_losses(const std::set<WorldRank>& missing) {
    using Kind = LimitationKind;
    if (was_interrupted(directory_)) report_interruption();
    // The launcher ended the other ranks because of these.
    if (!ended_.empty())
      for (const auto& [what, ranks] : ended_.rbegin()->second) {
        const std::string named = fmt::format(fmt::runtime(what), ranks_of(ranks));
        add(Kind::RankEnded, ranks, named,
            fmt::format("the run was checked up to {}: later races could not be seen", named));
      }
    for (const auto& [reason, incomplete] : incomplete_) report_incomplete(reason, incomplete);
    for (const auto& [damage, ranks] : damaged_)
      add(Kind::DamagedTrace, ranks, fmt::format("the trace of {} is damaged", ranks_of(ranks)),
          fmt::format("the trace of {} is damaged or truncated, and what follows could not be "
                      "analyzed: {}",
                      ranks_of(ranks), damage));
    if (!missing.empty())
      add(Kind::MissingTrace, missing, fmt::format("{} left no trace", ranks_of(missing)),
          fmt::format("{} left no trace: races with {}, and synchronization through {}, could not "
                      "be seen",
                      ranks_of(missing), missing.size() == 1 ? "it" : "them",
                      missing.size() == 1 ? "it" : "them"));
    if (!findings_.missing.empty()) {
      const std::set<WorldRank> ranks(findings_.missing.begin(), findings_.missing.end());
      add(Kind::NotAnalyzed, ranks,
          fmt::format("the memory of {} was not analyzed", ranks_of(ranks)),
          fmt::format("{} left no findings, so that races in {} memory may be missed. Run "
                      "photofinish analyze on this run",
                      ranks_of(ranks), ranks.size() == 1 ? "its" : "their"));
    }
    const bool races = findings_.messages && findings_.messages->races_given_up;
    if (const bool buffers = findings_.messages && findings_.messages->buffers_given_up;
        races || buffers) {
      const std::string what =
          races ? "message races were not checked" : "dependence on send buffering was not checked";
      add(Kind::MemoryLimit, {}, what,
          fmt::format("{}{}: the outstanding messages need more memory than --memory allows. Run "
                      "photofinish analyze with a larger --memory on this run",
                      what, races && buffers ? ", nor dependence on send buffering" : ""));
    }
    if (!findings_.messages)
      add(Kind::NotAnalyzed, {}, "messages were not analyzed",
          "the messages were not analyzed: message races and deadlocks may be missed. Run "
          "photofinish analyze on this run");
  }

  // Independent of how the ranks then ended.
  void report_interruption() {
    std::set<WorldRank> all;
    for (const auto& [cause, ends] : std::exchange(ended_, {}))
      for (const auto& [what, ranks] : ends) all.insert(ranks.begin(), ranks.end());
    const auto happened = [](const Deadlock& one) { return one.came_about; };
    const bool deadlock =
        findings_.messages && std::any_of(findings_.messages->deadlocks.begin(),
                                          findings_.messages->deadlocks.end(), happened);
    if (!all.empty())
      add(LimitationKind::RankEnded, std::move(all), deadlock ? "" : "the interruption",
          deadlock ? "the run was ended in a deadlock: later races were not checked"
                   : "the run was interrupted: later races could not be seen");
  }

  // Limitations that the ranks recorded themselves.
  struct Incomplete {
    std::set<WorldRank> ranks;
    std::string text;  // of the first rank
  };
  void report_incomplete(IncompleteReason reason, const Incomplete& incomplete) {
    using Kind = LimitationKind;
    const std::string ranks = ranks_of(incomplete.ranks);
    const auto stopped = [&](Kind kind, std::string_view brief, std::string_view advice) {
      add(kind, incomplete.ranks, fmt::format(fmt::runtime(brief), ranks),
          fmt::format("recording of {} stopped before the run ended: {}. Later races may be "
                      "missed{}",
                      ranks, incomplete.text, advice));
    };
    switch (reason) {
      case IncompleteReason::Disk:
        return stopped(Kind::RecordingStopped, "recording of {} stopped early",
                       ". Free space, or choose another directory with -o DIR");
      case IncompleteReason::Memory:
        return stopped(Kind::OutOfMemory, "recording of {} ran out of memory", "");
      case IncompleteReason::Internal:
        return stopped(Kind::InternalError, "an internal error stopped recording of {}",
                       ". Please report this error");
      case IncompleteReason::Limit:
        return stopped(Kind::LimitExceeded, "recording of {} stopped early", "");
      case IncompleteReason::OtherRank:  // that rank says why
        return stopped(Kind::RecordingStopped,
                       incomplete_.size() > 1 ? "" : "recording of {} stopped early", "");
      case IncompleteReason::Unsupported:
        return add(Kind::Unsupported, incomplete.ranks, incomplete.text,
                   fmt::format("{}: {}", ranks, incomplete.text));
      case IncompleteReason::None:
        return;
    }
  }

  void report_limits() {
    using Kind = LimitationKind;
    if (findings_.messages && !findings_.messages->checked)
      add(Kind::NoMessages, {}, "messages not checked",
          "messages were not checked, as --no-messages says");
    for (const auto& [program, ranks] : programs_)
      if (auto [brief, text] = instrumentation_of(program); !brief.empty())
        add(Kind::NotInstrumented, ranks, std::move(brief), std::move(text));
    if (std::uint64_t skipped = 0, checked = 0; !sampled_.empty()) {
      std::set<WorldRank> ranks;
      bool unknown = false;
      for (const RankSampling& one : sampled_) {
        ranks.insert(one.rank);
        skipped += one.sampling.skipped;
        checked += one.sampling.checked;
        unknown |= one.sampling.wall_ns == 0 || one.sampling.lifted_ns > 0;
      }
      if (skipped > 0 || unknown)
        add(Kind::Sampled, ranks,
            fmt::format("sampled {:.1f}% of loads and stores",
                        100.0 * static_cast<double>(checked) /
                            static_cast<double>(std::max<std::uint64_t>(1, checked + skipped))),
            "loads and stores were sampled: races at subsampled sites may be missed. Check "
            "without --sample and --budget to see all");
    }
    if (!threaded_.empty())
      add(Kind::Threads, threaded_, "threads of a rank not told apart",
          fmt::format("{} made MPI calls or accesses from more than one thread: the threads of a "
                      "rank are checked as one, in the order of time. Races between them are not "
                      "detected, and races with other ranks may be missed. The order of threads is "
                      "not known with OMP_TOOL=disabled, and where GCC's OpenMP runtime cannot be "
                      "replaced by LLVM's. Check the threads of one rank with ThreadSanitizer, and "
                      "the ranks in a run with one thread each "
                      "(OMP_NUM_THREADS=1)",
                      ranks_of(threaded_)));
  }

  const std::string& directory_;
  const RunFindings& findings_;
  std::shared_ptr<SavedSymbols> saved_;
  Symbolizer symbolizer_;
  std::vector<Limitation> all_;
  std::map<IncompleteReason, Incomplete> incomplete_;
  std::set<WorldRank> threaded_;
  std::map<EndCause, std::map<std::string, std::set<WorldRank>>> ended_;
  std::map<std::string, std::set<WorldRank>> damaged_, programs_;
  std::set<std::string> changed_;  // programs
  bool openshmem_ = false, coarrays_ = false;
  std::vector<RankSampling> sampled_;
};

}  // namespace

std::vector<Limitation> collect_limitations(const std::string& directory,
                                            const RunFindings& findings) {
  return Collector(directory, findings).collect();
}

std::string coverage_text(const std::vector<Limitation>& limitations) {
  std::vector<std::string> ends, losses, limits;
  for (const Limitation& one : limitations)
    if (!one.brief.empty())
      (one.kind == LimitationKind::RankEnded ? ends
       : is_unexpected(one.kind)             ? losses
                                             : limits)
          .push_back(one.brief);
  std::string text;
  if (!ends.empty()) text += fmt::format(" up to {}", fmt::join(ends, " and "));
  if (!losses.empty())
    text += fmt::format(", but not everything was checked: {}", fmt::join(losses, "; "));
  if (!limits.empty()) text += fmt::format(" ({})", fmt::join(limits, "; "));
  return text;
}

NotInstrumented not_instrumented(const std::string& program, bool openshmem, bool coarrays) {
  const char* const wrappers = coarrays    ? "pfcaf"
                               : openshmem ? "pfoshcc or pfoshcxx"
                                           : "pfmpicc, pfmpicxx or pfmpifort";
  const PassNotes notes = pass_notes(program);
  if (!notes.readable || (!notes.with.empty() && notes.without.empty())) return {};
  if (base_name(program).starts_with("python"))
    return {"loads and stores not checked",
            "Python code is not instrumented: its reads and writes of buffers are not checked"};
  if (notes.with.empty())
    return {"loads and stores not checked",
            fmt::format("{} is not instrumented: rebuild with {} to check loads and stores",
                        program, wrappers)};
  constexpr std::size_t kMost = 5;
  const std::size_t count = notes.without.size(), named = std::min(kMost, count);
  return {fmt::format("loads and stores of {} file{} not checked", count, count == 1 ? "" : "s"),
          fmt::format("not instrumented: {}{}; rebuild with {} to check the loads and stores there",
                      fmt::join(notes.without.begin(),
                                notes.without.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                      named < count ? fmt::format(" and {} more", count - named) : "", wrappers)};
}

}  // namespace photofinish
