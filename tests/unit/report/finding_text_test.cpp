#include "report/finding_text.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "frontend/mpi/table/mpi_call.h"
#include "made_up_run.h"
#include "trace/findings_file.h"

namespace photofinish {
namespace {

using testing::kComplete;
using testing::kDynamic;
using testing::kFence;
using testing::kFlush;
using testing::kHalo;
using testing::kLock;
using testing::kLockAll;
using testing::kNameless;
using testing::kOther;
using testing::kStart;
using testing::kWait;
using testing::kWork;
using testing::MadeUpRun;
using testing::read_file;

constexpr WorldRank rank(int number) { return WorldRank(number); }

FindingSide put(int origin) {
  return {.rank = rank(origin),
          .kind = AccessKind::Put,
          .call = MpiCall::MPI_Put,
          .site = kWork,
          .opened = kLockAll,
          .closed = kFlush,
          .begin = 20,
          .end = 31,
          .bytes = 8,
          .epoch = {EpochKind::Lock, 1},
          .win = kHalo,
          .offset = 0x40,
          .locks = {{kHalo, kAnySource, false}}};
}
FindingSide get(int origin) {
  FindingSide side = put(origin);
  side.kind = AccessKind::Get;
  side.call = MpiCall::MPI_Get;
  side.site = kOther;
  return side;
}
FindingSide accumulate(int origin, ReduceOp op = ReduceOp::Sum) {
  FindingSide side = put(origin);
  side.kind = AccessKind::Accumulate;
  side.call = MpiCall::MPI_Accumulate;
  side.op = op;
  return side;
}
FindingSide plain(int owner, AccessKind kind) {
  return {.rank = rank(owner),
          .kind = kind,
          .call = kind == AccessKind::Load ? Call::load : Call::store,
          .site = kOther,
          .begin = 40,
          .end = 41,
          .bytes = 8};
}
FindingSide buffer(int owner, AccessKind kind, Call call) {
  return {.rank = rank(owner),
          .kind = kind,
          .call = call,
          .site = kWork,
          .closed = kWait,
          .begin = 20,
          .end = 51,
          .bytes = 64};
}

Finding finding(Reason reason, FindingSide a, FindingSide b, Uid win = kHalo) {
  return {.reason = reason,
          .sides = {a, b},
          .owner = rank(0),
          .where = {0x7f0040, 0x7f0048},
          .win = win,
          .offset = 0x40,
          .ranks = {a.rank, b.rank},
          .owners = {rank(0)}};
}
FindingSide in(EpochKind kind, SiteId opened, FindingSide side) {
  side.epoch.kind = kind;
  side.opened = opened;
  return side;
}
FindingSide never(FindingSide side) {
  side.end = kNever;
  side.closed = {};
  return side;
}

class FindingBlock : public ::testing::Test {
 protected:
  std::string block(const Finding& f, std::size_t number = 1, bool colors = false) {
    RunNotes notes(run.path, {f});
    return finding_block(f, number, notes, colors);
  }
  // The lines of a block that begin with one of these words.
  std::string lines(const Finding& f, std::initializer_list<std::string_view> starts) {
    std::string found;
    std::istringstream text(block(f));
    for (std::string line; std::getline(text, line);)
      for (const std::string_view start : starts)
        if (const std::size_t first = line.find_first_not_of(' ');
            first != line.npos && line.substr(first).starts_with(start))
          found += line.substr(first) + "\n";
    return found;
  }
  std::string headlines(const Finding& f) {
    return lines(
        f, {"Put", "Get", "Load", "Store", "Acc", "Fetch", "Comp", "Read", "Write", "conflicts"});
  }
  std::string epochs(const Finding& f) { return lines(f, {"epoch", "pending", "still"}); }
  std::string reasons(const Finding& f) { return lines(f, {"The accesses are concurrent", "Try"}); }

  MadeUpRun run;
};

TEST_F(FindingBlock, HasBothSidesComplete) {
  Finding f = finding(Reason::NoOrder, put(2), plain(0, AccessKind::Load));
  f.times = 1024;
  f.ranks = {rank(0), rank(1), rank(2), rank(3)};
  EXPECT_EQ(block(f, 3), R"(==================
WARNING: photofinish: one-sided race [F3] predicted · 1024 instances on ranks 0-3
  Put of 8 bytes by rank 2 into rank 0, window "halo" +0x40..0x48
    #0 ? /nowhere/solver+0x140
    #1 ? /nowhere/solver+0x999
    epoch opened by MPI_Win_lock_all solver+0x10, open until MPI_Win_flush solver+0x20
  conflicts with load of 8 bytes by rank 0
    #0 ? /nowhere/solver+0x150
    #1 ? /nowhere/solver+0x999
  window "halo" created by MPI_Win_allocate in solver+0x70
  The accesses are concurrent: no happens-before path leads from the completion of the put of rank 2 (MPI_Win_flush solver+0x20) to the load of rank 0, or back.
  Try: a barrier or a message between the put and the load. If the put comes first, complete it before the barrier or message (MPI_Win_flush, not MPI_Win_flush_local). In a loop: one after each of the two.
)");
}

TEST_F(FindingBlock, OfABuffer) {
  const Finding f = finding(Reason::NotComplete, buffer(0, AccessKind::Store, MpiCall::MPI_Irecv),
                            plain(0, AccessKind::Store), Uid());
  EXPECT_EQ(block(f), R"(==================
WARNING: photofinish: buffer race [F1] predicted · 1 instance on rank 0
  Write of 64 bytes by MPI_Irecv of rank 0
    #0 ? /nowhere/solver+0x140
    #1 ? /nowhere/solver+0x999
    pending until MPI_Wait solver+0x60
  conflicts with store of 8 bytes by rank 0
    #0 ? /nowhere/solver+0x150
    #1 ? /nowhere/solver+0x999
  memory of rank 0 at 0x7f0040..0x7f0048, the buffer of MPI_Irecv
  The accesses are concurrent: rank 0 stores while its own MPI_Irecv is pending; MPI_Wait solver+0x60 completes it later.
  Try: MPI_Wait for its request before the program uses the result of MPI_Irecv.
)");
}

TEST_F(FindingBlock, WithoutATraceSaysWhyThereIsNoStack) {
  const Finding f = finding(Reason::NoOrder, put(2), never(get(9)));
  const std::string text = block(f);
  EXPECT_NE(text.find("  conflicts with get of 8 bytes by rank 9\n    (no stack: " + run.path +
                      "/rank-000009.trace: No such file or directory)\n    epoch still open at the "
                      "end of the run\n"),
            std::string::npos)
      << text;
  Finding without_site = f;
  without_site.sides[0].site = {};
  EXPECT_NE(block(without_site).find("    (no stack)\n"), std::string::npos);
}

TEST_F(FindingBlock, ColorsOnlyWhenAskedFor) {
  const Finding f = finding(Reason::NoOrder, put(2), plain(0, AccessKind::Load));
  const std::string without = block(f), with = block(f, 1, true);
  EXPECT_EQ(without.find('\033'), std::string::npos);
  EXPECT_NE(
      with.find("\033[1;31mWARNING: photofinish: one-sided race [F1] predicted · 1 instance on "
                "ranks 0,2\033[0m\n"),
      std::string::npos)
      << with;
  std::string stripped;
  for (std::size_t i = 0; i < with.size(); ++i)
    if (with[i] == '\033')
      i = with.find('m', i);
    else
      stripped += with[i];
  EXPECT_EQ(stripped, without);
}

TEST_F(FindingBlock, HeadlinesOfEachKind) {
  EXPECT_EQ(headlines(finding(Reason::NoOrder, get(1), put(2))),
            "Get of 8 bytes by rank 1 from rank 0, window \"halo\" +0x40..0x48\nconflicts with put "
            "of 8 bytes by rank 2\n");
  FindingSide swap = accumulate(1, ReduceOp::CompareAndSwap);
  swap.call = MpiCall::MPI_Compare_and_swap;
  FindingSide fetch = accumulate(2, ReduceOp::NoOp);
  fetch.call = MpiCall::MPI_Fetch_and_op;
  EXPECT_EQ(headlines(finding(Reason::NoOrder, swap, fetch)),
            "Compare-and-swap of 8 bytes by rank 1 into rank 0, window \"halo\" +0x40..0x48\n"
            "conflicts with fetch-and-op (MPI_NO_OP) of 8 bytes by rank 2\n");
  EXPECT_EQ(headlines(finding(Reason::NoOrder, accumulate(1),
                              buffer(0, AccessKind::Load, MpiCall::MPI_Send))),
            "Accumulate (MPI_SUM) of 8 bytes by rank 1 into rank 0, window \"halo\" +0x40..0x48\n"
            "conflicts with read of 64 bytes by MPI_Send of rank 0\n");
  // In shared memory other ranks load and store, too.
  EXPECT_EQ(
      headlines(finding(Reason::NoOrder, plain(1, AccessKind::Store), plain(2, AccessKind::Load))),
      "Store of 8 bytes by rank 1, window \"halo\" of rank 0 +0x40..0x48\nconflicts with load of 8 "
      "bytes by rank 2\n");
}

TEST_F(FindingBlock, WindowsWithAndWithoutNames) {
  Finding f = finding(Reason::NoOrder, put(2), plain(0, AccessKind::Load), kNameless);
  f.sides[0].bytes = 1;
  f.where.end = f.where.begin + 1;
  EXPECT_EQ(lines(f, {"Put", "window"}),
            "Put of 1 byte by rank 2 into rank 0, window +0x40..0x41\nwindow created by "
            "MPI_Win_create in solver+0x70\n");
  // More bytes than the two have in common.
  f.sides[0].bytes = 100;
  EXPECT_EQ(lines(f, {"Put"}),
            "Put of 100 bytes by rank 2 into rank 0, window, overlap +0x40..0x41\n");
  f.win = kDynamic;
  f.offset = 0x7f0040;
  EXPECT_EQ(
      lines(f, {"Put", "window"}),
      "Put of 100 bytes by rank 2 into rank 0, window \"heap\", overlap at 0x7f0040..0x7f0041\n"
      "window \"heap\" created by MPI_Win_create_dynamic in solver+0x70\n");
  // The owner has not named the window, but rank 0 has.
  Finding elsewhere = finding(Reason::NoOrder, put(0), plain(3, AccessKind::Load));
  elsewhere.owner = rank(3);
  EXPECT_EQ(lines(elsewhere, {"window"}),
            "window \"halo\" created by MPI_Win_allocate in solver+0x70\n");
  elsewhere.win = Uid(4711);
  EXPECT_EQ(lines(elsewhere, {"window"}), "");
}

TEST_F(FindingBlock, Epochs) {
  const FindingSide load = plain(0, AccessKind::Load);
  EXPECT_EQ(epochs(finding(Reason::NoOrder, never(put(2)), load)),
            "epoch opened by MPI_Win_lock_all solver+0x10, still open at the end of the run\n");
  FindingSide posted = never(in(EpochKind::Start, kStart, put(2)));
  EXPECT_EQ(
      epochs(finding(Reason::NoOrder, posted, load)),
      "epoch opened by MPI_Win_start solver+0x40, complete when MPI_Win_wait of rank 0 returns\n");
  posted.closed = kComplete;
  EXPECT_EQ(epochs(finding(Reason::NoOrder, posted, load)),
            "epoch opened by MPI_Win_start solver+0x40, ended by MPI_Win_complete solver+0x50, "
            "complete when MPI_Win_wait of rank 0 returns\n");
  EXPECT_EQ(epochs(finding(Reason::NotComplete,
                           never(buffer(0, AccessKind::Load, MpiCall::MPI_Isend)), load, Uid())),
            "still pending at the end of the run\n");
  // A blocking call completes when it returns: there is no epoch line.
  FindingSide send = buffer(0, AccessKind::Load, MpiCall::MPI_Send);
  send.end = send.begin + 1;
  EXPECT_EQ(epochs(finding(Reason::NoOrder, send, load)), "");
}

TEST_F(FindingBlock, WhyAndWhatToTryWhenOneRankDoesNotWait) {
  const auto both = [&](FindingSide early, FindingSide late, Uid win = kHalo) {
    return reasons(finding(Reason::NotComplete, early, late, win));
  };
  FindingSide later_get = get(2);
  later_get.begin = 25;
  EXPECT_EQ(both(put(2), later_get),
            "The accesses are concurrent: rank 2 starts the get while its own put is pending; "
            "MPI_Win_flush solver+0x20 completes it later.\n"
            "Try: MPI_Win_flush between the put and the get.\n");
  FindingSide later_put = put(2);
  later_put.begin = 25;
  EXPECT_EQ(both(later_put, never(put(2))),
            "The accesses are concurrent: rank 2 starts the put while its earlier put is pending; "
            "nothing completes it in time.\n"
            "Try: MPI_Win_flush between the two puts.\n");
  EXPECT_EQ(both(in(EpochKind::Fence, kFence, put(2)), later_get),
            "The accesses are concurrent: rank 2 starts the get while its own put is pending; "
            "MPI_Win_flush solver+0x20 completes it later.\n"
            "Try: MPI_Win_fence between the put and the get.\n");
  EXPECT_EQ(both(never(in(EpochKind::Start, kStart, put(2))), later_get),
            "The accesses are concurrent: rank 2 starts the get while its own put is pending; only "
            "MPI_Win_wait of rank 0 completes it.\n"
            "Try: another epoch for the second: MPI_Win_complete, and MPI_Win_wait of rank 0, "
            "between the put and the get.\n");
}

TEST_F(FindingBlock, WhyAndWhatToTryWhenABufferIsInUse) {
  const auto advice = [&](FindingSide early) {
    return lines(finding(Reason::NotComplete, early, plain(0, AccessKind::Store), Uid()), {"Try"});
  };
  const auto one_sided = [](AccessKind kind, Call call, SiteId opened) {
    FindingSide side = buffer(0, kind, call);
    side.opened = opened;
    return side;
  };
  EXPECT_EQ(advice(buffer(0, AccessKind::Load, MpiCall::MPI_Isend)),
            "Try: MPI_Wait for its request before the program reuses the buffer of MPI_Isend.\n");
  EXPECT_EQ(
      reasons(finding(Reason::NotComplete, never(buffer(0, AccessKind::Load, MpiCall::MPI_Isend)),
                      plain(0, AccessKind::Store), Uid())),
      "The accesses are concurrent: rank 0 stores while its own MPI_Isend is pending; its request "
      "was lost: no call completes it.\n"
      "Try: a request variable for each pending MPI_Isend, and MPI_Wait for it before the program "
      "reuses the buffer of MPI_Isend. A call that writes the same request variable loses the "
      "earlier request.\n");
  EXPECT_EQ(advice(one_sided(AccessKind::Load, MpiCall::MPI_Put, kLockAll)),
            "Try: MPI_Win_flush_local before the program reuses the buffer of MPI_Put.\n");
  EXPECT_EQ(advice(one_sided(AccessKind::Store, MpiCall::MPI_Get, kLock)),
            "Try: MPI_Win_flush_local before the program uses the result of MPI_Get.\n");
  EXPECT_EQ(advice(one_sided(AccessKind::Store, MpiCall::MPI_Get, kFence)),
            "Try: MPI_Win_fence before the program uses the result of MPI_Get.\n");
  EXPECT_EQ(advice(one_sided(AccessKind::Load, MpiCall::MPI_Put, kStart)),
            "Try: MPI_Win_complete before the program reuses the buffer of MPI_Put.\n");
  EXPECT_EQ(
      advice(one_sided(AccessKind::Load, MpiCall::MPI_Put, SiteId())),
      "Try: a flush, an unlock or a fence before the program reuses the buffer of MPI_Put.\n");
  EXPECT_EQ(advice(one_sided(AccessKind::Store, MpiCall::MPI_Rget, kLockAll)),
            "Try: MPI_Wait for its request before the program uses the result of MPI_Rget.\n");
  EXPECT_EQ(advice(buffer(0, AccessKind::Store, MpiCall::MPI_File_read_all_begin)),
            "Try: MPI_File_read_all_end before the program uses the result of "
            "MPI_File_read_all_begin.\n");
}

TEST_F(FindingBlock, WhyAndWhatToTryWhenRanksAreNotOrdered) {
  const auto both = [&](FindingSide a, FindingSide b) {
    return reasons(finding(Reason::NoOrder, a, b));
  };
  const FindingSide load = plain(0, AccessKind::Load);
  EXPECT_EQ(both(put(1), put(2)),
            "The accesses are concurrent: the locks of rank 1 and rank 2 are shared, so they do "
            "not exclude each other, and no happens-before path orders the two puts.\nTry: "
            "complete the first access (MPI_Win_flush, not MPI_Win_flush_local), then synchronize "
            "with a barrier or a message. For a read-modify-write: one atomic (MPI_Fetch_and_op, "
            "MPI_Compare_and_swap or MPI_Get_accumulate).\n");
  EXPECT_EQ(both(in(EpochKind::Fence, kFence, put(1)), in(EpochKind::Fence, kFence, get(2))),
            "The accesses are concurrent: both are in the same fence epoch, and operations inside "
            "one epoch are unordered.\nTry: MPI_Win_fence between the put and the get.\n");
  EXPECT_EQ(both(never(put(1)), load),
            "The accesses are concurrent: nothing completes the put of rank 1 in time, and no "
            "happens-before path leads from the load of rank 0 to it.\nTry: a barrier or a message "
            "between the put and the load. If the put comes first, complete it before the "
            "barrier or message (MPI_Win_flush, not MPI_Win_flush_local). In a loop: one after "
            "each of the two.\n");
  EXPECT_EQ(both(never(put(1)), never(put(2))),
            "The accesses are concurrent: nothing completes the put of rank 1, nor the put of rank "
            "2, in time.\nTry: complete the first access (MPI_Win_flush, not MPI_Win_flush_local), "
            "then synchronize with a barrier or a message. For a read-modify-write: one atomic "
            "(MPI_Fetch_and_op, MPI_Compare_and_swap or MPI_Get_accumulate).\n");
  EXPECT_EQ(both(never(in(EpochKind::Start, kStart, put(1))), load),
            "The accesses are concurrent: no happens-before path leads from the completion of the "
            "put of rank 1 (MPI_Win_wait of rank 0) to the load of rank 0, or back.\nTry: the load "
            "before MPI_Win_post of rank 0, or after MPI_Win_wait.\n");
  EXPECT_EQ(both(accumulate(1), never(put(2))),
            "The accesses are concurrent: nothing completes the put of rank 2 in time, and no "
            "happens-before path leads from the completion of the accumulate of rank 1 "
            "(MPI_Win_flush solver+0x20) to it.\nTry: complete the first access (MPI_Win_flush, "
            "not MPI_Win_flush_local), then synchronize with a barrier or a message. If any order "
            "is correct: MPI_Accumulate with MPI_REPLACE instead of the put.\n");
  EXPECT_EQ(lines(finding(Reason::NoOrder, get(1), accumulate(2)), {"Try"}),
            "Try: complete the first access (MPI_Win_flush, not MPI_Win_flush_local), then "
            "synchronize with a barrier or a message. If any order is correct: MPI_Get_accumulate "
            "with MPI_NO_OP instead of the get.\n");
  // MPI_Win_unlock and MPI_Win_lock are for MPI_Win_lock epochs.
  EXPECT_EQ(lines(finding(Reason::NoOrder, in(EpochKind::Lock, kLock, put(1)),
                          in(EpochKind::Lock, kLock, put(2))),
                  {"Try"}),
            "Try: complete the first access (MPI_Win_flush or MPI_Win_unlock, not "
            "MPI_Win_flush_local), then synchronize with a barrier or a message. For a "
            "read-modify-write: one exclusive lock (MPI_LOCK_EXCLUSIVE) around the get and the "
            "put, or one atomic (MPI_Fetch_and_op, MPI_Compare_and_swap or MPI_Get_accumulate).\n");
  EXPECT_EQ(both(plain(1, AccessKind::Store), plain(2, AccessKind::Store)),
            "The accesses are concurrent: no happens-before path leads from the store of rank 1 to "
            "the store of rank 2, or back.\nTry: a barrier or a message between the two stores, "
            "with MPI_Win_sync on each side of it.\n");
}

TEST_F(FindingBlock, WhyLocksDoNotProtect) {
  const auto locked = [](FindingSide side, Uid win, int target) {
    side = in(EpochKind::Lock, kLock, side);
    side.locks = {{win, rank(target), true}};
    return side;
  };
  EXPECT_EQ(reasons(finding(Reason::NoOrder, locked(put(1), kHalo, 1), locked(put(2), kHalo, 2))),
            "The accesses are concurrent: rank 1 locks rank 1 and rank 2 locks rank 2: locks at "
            "different targets do not exclude each other, and no happens-before path orders the "
            "two puts.\n"
            "Try: lock the same target on both ranks, around all accesses to these data; or order "
            "the two puts with a barrier or a message.\n");
  FindingSide load = plain(0, AccessKind::Load);
  load.locks = {{kNameless, rank(0), true}};
  EXPECT_EQ(reasons(finding(Reason::NoOrder, locked(put(1), kHalo, 0), load)),
            "The accesses are concurrent: the locks are on different windows, so they do not "
            "exclude each other, and no happens-before path leads from the completion of the put "
            "of rank 1 (MPI_Win_flush solver+0x20) to the load of rank 0, or back.\n"
            "Try: lock the same window and the same target on both ranks, around all accesses to "
            "these data; or order the put and the load with a barrier or a message.\n");
}

TEST_F(FindingBlock, WhatToTryWhenTwoCallsWriteOneBuffer) {
  FindingSide second = buffer(0, AccessKind::Store, MpiCall::MPI_Irecv);
  second.begin = 30;
  EXPECT_EQ(lines(finding(Reason::NotComplete, buffer(0, AccessKind::Store, MpiCall::MPI_Irecv),
                          second, Uid()),
                  {"Try"}),
            "Try: a separate buffer for each MPI_Irecv, or MPI_Wait for its request and use of its "
            "data before the second.\n");
}

TEST_F(FindingBlock, WhyAndWhatToTryForTheOtherReasons) {
  EXPECT_EQ(reasons(finding(Reason::SeparateModel, put(1), plain(0, AccessKind::Store))),
            "The accesses are concurrent. In the separate memory model (MPI_WIN_SEPARATE), the put "
            "and the store conflict even on different bytes.\n"
            "Try: separate epochs, with a barrier between them, for the put and the store.\n");
  EXPECT_EQ(reasons(finding(Reason::MixedElements, accumulate(1), accumulate(2))),
            "The accesses are concurrent. Accumulates are atomic with each other only where their "
            "elements have the same predefined type and coincide; here the types differ, or the "
            "elements overlap in part.\n"
            "Try: the same predefined type in both, at the same displacements; or complete the "
            "first, then a barrier, before the second.\n");
  EXPECT_EQ(
      reasons(finding(Reason::MixedOperations, accumulate(1), accumulate(2, ReduceOp::Replace))),
      "The accesses are concurrent: different operations, MPI_SUM and MPI_REPLACE, update the same "
      "elements.\n"
      "Try: the same operation in both; or complete the first, then a barrier, before the "
      "second.\n");
}

TEST(SummaryLine, NamesBufferingDependence) {
  RunDocument run{.name = "photofinish.run"};
  run.deadlocks.push_back({});
  EXPECT_EQ(summary_line(run, 0),
            "SUMMARY: photofinish: no findings, but the run depends on send buffering · in "
            "photofinish.run\n");
  run.deadlocks[0].confirmed = true;
  EXPECT_EQ(summary_line(run, 0),
            "SUMMARY: photofinish: no findings, but the run deadlocks without send buffering "
            "(confirmed) · in photofinish.run\n");
  run.deadlocks[0].confirmed = false;
  EXPECT_EQ(summary_line(run, 0), "SUMMARY: photofinish: no findings · in photofinish.run\n");
  run.deadlocks[0] = {.certain = false};
  EXPECT_EQ(summary_line(run, 0), "SUMMARY: photofinish: no findings · in photofinish.run\n");
}

TEST(SummaryLine, CountsInSingularAndPlural) {
  const FindingKind one_sided = FindingKind::OneSidedRace, of_buffer = FindingKind::BufferRace;
  const auto run = [](std::initializer_list<FindingKind> kinds) {
    RunDocument reported{.name = "photofinish.run"};
    for (const FindingKind kind : kinds) reported.findings.push_back({.kind = kind});
    return reported;
  };
  const auto line = [&](std::initializer_list<FindingKind> kinds) {
    return summary_line(run(kinds), kinds.size());
  };
  EXPECT_EQ(line({}), "SUMMARY: photofinish: no findings · in photofinish.run\n");
  EXPECT_EQ(line({one_sided}), "SUMMARY: photofinish: 1 one-sided race · in photofinish.run\n");
  EXPECT_EQ(line({one_sided, one_sided}),
            "SUMMARY: photofinish: 2 one-sided races · in photofinish.run\n");
  EXPECT_EQ(line({of_buffer}), "SUMMARY: photofinish: 1 buffer race · in photofinish.run\n");
  EXPECT_EQ(line({of_buffer, one_sided, of_buffer}),
            "SUMMARY: photofinish: 1 one-sided race, 2 buffer races · in photofinish.run\n");
  EXPECT_EQ(summary_line(run({one_sided, one_sided, of_buffer}), 2),
            "SUMMARY: photofinish: 2 one-sided races, 1 buffer race, the first 2 shown · in "
            "photofinish.run\n");
  RunDocument hidden = run({one_sided, one_sided, of_buffer});
  hidden.findings[0].suppressed_by = 0;
  hidden.findings[1].known = true;
  EXPECT_EQ(summary_line(hidden, 1),
            "SUMMARY: photofinish: 1 buffer race, 1 known, 1 suppressed · in photofinish.run\n");
}

Result<bool> print_run(std::FILE* file, const std::string& path, const std::string& name,
                       const ReportOptions& options) {
  const auto document = read_document(path, {.name = name});
  if (!document) return document.error();
  return print_report(file, *document, options);
}

class PrintReport : public ::testing::Test {
 protected:
  // The printed report, or the error.
  std::string print(const ReportOptions& options = {}, const std::string& name = "a.run") {
    const std::string path = run.dir / "report.txt";
    std::FILE* file = std::fopen(path.c_str(), "w");
    std::fputs("before\n", file);
    const auto found = print_run(file, run.path, name, options);
    std::fclose(file);
    found_ = found && *found;
    return found ? read_file(path) : found.error().message;
  }
  std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
  }
  bool found_ = false;
  MadeUpRun run{1};
};

TEST_F(PrintReport, OfARunThatWasNeverAnalysed) {
  EXPECT_EQ(print(), "a.run is not analyzed yet: run photofinish analyze a.run");
}

TEST_F(PrintReport, WithoutFindings) {
  ASSERT_TRUE(write_findings(findings_path(run.path, rank(0)), {}));
  ASSERT_TRUE(write_messages(messages_path(run.path), {}));
  EXPECT_EQ(print(), "before\nSUMMARY: photofinish: no findings · in a.run\n");
  EXPECT_FALSE(found_);
  EXPECT_EQ(print({}, ""), "before\nSUMMARY: photofinish: no findings · in " + run.path + "\n");
}

TEST_F(PrintReport, NumbersFindingsInTheirOrder) {
  Finding second = finding(Reason::NoOrder, put(2), plain(0, AccessKind::Load)), first = second;
  first.sides[0].site_key = 1;
  first.sides[0].rank = rank(1);
  ASSERT_TRUE(write_findings(analysis_path(run.path), {second, first}));
  const std::string text = print();
  EXPECT_TRUE(found_);
  EXPECT_LT(text.find("race [F1] predicted"), text.find("Put of 8 bytes by rank 1"));
  EXPECT_LT(text.find("Put of 8 bytes by rank 1"), text.find("race [F2] predicted"));
  EXPECT_LT(text.find("race [F2] predicted"), text.find("Put of 8 bytes by rank 2"));
  EXPECT_TRUE(
      text.ends_with("SUMMARY: photofinish: 2 one-sided races, but not everything was checked: "
                     "messages were not analyzed · in a.run\n"))
      << text;

  const std::string shorter = print({.max_findings = 1});
  EXPECT_TRUE(found_);
  EXPECT_EQ(count(shorter, "WARNING"), 1u);
  EXPECT_NE(shorter.find("2 one-sided races, the first 1 shown"), std::string::npos) << shorter;
  EXPECT_EQ(count(print({.max_findings = 7}), "WARNING"), 2u);
}

TEST_F(PrintReport, ReportsWhichRanksAreNotInIt) {
  MadeUpRun four;
  ASSERT_TRUE(write_findings(findings_path(four.path, rank(0)), {}));
  std::FILE* file = std::fopen((four.dir / "report.txt").c_str(), "w");
  ASSERT_TRUE(print_run(file, four.path, "b.run", {}));
  std::fclose(file);
  EXPECT_EQ(read_file(four.dir / "report.txt"),
            "NOTE: photofinish: ranks 1-3 left no findings, so that races in their memory may be "
            "missed. Run photofinish analyze on this run\n"
            "NOTE: photofinish: the messages were not analyzed: message races and deadlocks may be "
            "missed. Run photofinish analyze on this run\n"
            "SUMMARY: photofinish: no findings, but not everything was checked: the memory of "
            "ranks 1-3 was not analyzed; messages were not analyzed · in b.run\n");
}

TEST_F(PrintReport, OfDamagedFindingsPrintsNothing) {
  run.dir.write("run/analysis.findings", "short");
  EXPECT_EQ(print(), run.path + "/analysis.findings: too short for a file of findings");
  EXPECT_EQ(read_file(run.dir / "report.txt"), "before\n");
}

TEST_F(PrintReport, SaysWhenItCannotBeWritten) {
  ASSERT_TRUE(write_findings(analysis_path(run.path), {}));
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  const auto found = print_run(full, run.path, "", {});
  std::fclose(full);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "cannot write the report: No space left on device");
}

TEST(Colors, NotInAFile) {
  testing::TempDir dir;
  std::FILE* file = std::fopen((dir / "x").c_str(), "w");
  EXPECT_FALSE(wants_colors(file));
  std::fclose(file);
}

TEST(Colors, OnATerminalUnlessNobodyWantsThem) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
    GTEST_SKIP() << "no pseudo terminal";
  std::FILE* file = fdopen(terminal, "w");
  testing::ScopedEnv kind("TERM", "xterm");
  {
    testing::ScopedEnv none("NO_COLOR", std::nullopt);
    EXPECT_TRUE(wants_colors(file));
    testing::ScopedEnv dumb("TERM", "dumb");
    EXPECT_FALSE(wants_colors(file));
  }
  testing::ScopedEnv none("NO_COLOR", "1");
  EXPECT_FALSE(wants_colors(file));
  std::fclose(file);
}

}  // namespace
}  // namespace photofinish
