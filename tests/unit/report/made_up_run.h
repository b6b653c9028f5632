// A synthetic run: traces with the call sites, windows and calls that findings refer to, of a
// program without symbols.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "../launch/temp_dir.h"
#include "frontend/mpi/table/mpi_call.h"
#include "trace/run_directory.h"
#include "trace/writer.h"

namespace photofinish::testing {

// Sites of every rank: number n is at address 0x10 * n of /nowhere/solver, called from 0x999.
inline constexpr SiteId kLockAll{1}, kFlush{2}, kFence{3}, kStart{4}, kComplete{5}, kWait{6},
    kAllocate{7}, kLock{8}, kWork{20}, kOther{21};
inline constexpr Uid kHalo{77}, kNameless{78}, kDynamic{79};

class MadeUpRun {
 public:
  explicit MadeUpRun(int ranks = 4) {
    EXPECT_TRUE(create_run_directory(path, {"token", {"./solver"}}, false));
    for (int rank = 0; rank < ranks; ++rank) record(WorldRank(rank), ranks);
  }

  TempDir dir;
  const std::string path = dir / "run";

 private:
  void record(WorldRank rank, int ranks) {
    auto writer =
        TraceWriter::create(path, {.rank = rank, .world_size = ranks, .program = "./solver"}, 1.0,
                            [](const std::string&) {});
    ASSERT_TRUE(writer) << writer.error().message;
    TraceWriter& out = **writer;
    out.define(DefinitionKind::Module,
               ModuleDefinition{.id = ModuleId(1), .path = "/nowhere/solver"});
    for (std::uint32_t site = 1; site < 30; ++site)
      out.define(DefinitionKind::Site,
                 SiteDefinition{.id = SiteId(site),
                                .frames = {{ModuleId(1), 0x10 * site}, {ModuleId(1), 0x999}}});
    // Only the first rank has named its window.
    define_window(out, 1, kHalo, rank == WorldRank(0) ? "halo" : "", WinFlavour::Allocate);
    define_window(out, 2, kNameless, "", WinFlavour::Create);
    define_window(out, 3, kDynamic, "heap", WinFlavour::Dynamic);
    Lane* lane = out.open_lane({.id = TaskId(0), .os_thread = 1});
    created(*lane, MpiCall::MPI_Win_allocate, 1);
    created(*lane, MpiCall::MPI_Win_create, 2);
    created(*lane, MpiCall::MPI_Win_create_dynamic, 3);
    for (const auto& [site, call] : std::map<SiteId, Call>{{kLockAll, MpiCall::MPI_Win_lock_all},
                                                           {kFlush, MpiCall::MPI_Win_flush},
                                                           {kFence, MpiCall::MPI_Win_fence},
                                                           {kStart, MpiCall::MPI_Win_start},
                                                           {kComplete, MpiCall::MPI_Win_complete},
                                                           {kWait, MpiCall::MPI_Wait},
                                                           {kLock, MpiCall::MPI_Win_lock}})
      append(*lane, call, site);
    out.end(RankState::Exited, 0);
  }
  static void define_window(TraceWriter& out, std::uint32_t id, Uid uid, const std::string& name,
                            WinFlavour flavour) {
    out.define(DefinitionKind::Win,
               WinDefinition{.id = WinId(id), .uid = uid, .name = name, .flavour = flavour});
  }
  void created(Lane& lane, Call call, std::uint32_t window) {
    Event event = made(call, kAllocate);
    event.fields.set(Field::new_win, window);
    lane.append(event, time_, time_ + 1);
  }
  void append(Lane& lane, Call call, SiteId site) {
    const Event event = made(call, site);
    lane.append(event, time_, time_ + 1);
  }
  Event made(Call call, SiteId site) {
    time_ += 10;
    Event event;
    event.call = call;
    event.site = site;
    return event;
  }
  std::uint64_t time_ = 0;
};

}  // namespace photofinish::testing
