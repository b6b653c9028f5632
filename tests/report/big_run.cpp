// A run that never ran, as large as is wanted: big_run DIRECTORY RANKS FINDINGS EVENTS.
//
// Each rank makes fence epochs with a put to its right neighbour and a get from it in each. The
// findings are put against get, at different places and moments all over the run. The program has
// no symbols: their places are addresses, each its own.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "frontend/mpi/table/mpi_call.h"
#include "trace/findings_file.h"
#include "trace/run_directory.h"
#include "trace/writer.h"

using namespace photofinish;

namespace {

constexpr std::uint32_t kSites = 2000;
constexpr Uid kWindow{77}, kWorld{5};

class Rank {
 public:
  Rank(const std::string& directory, int rank, int ranks) : rank_(rank), ranks_(ranks) {
    auto writer = TraceWriter::create(
        directory,
        {.rank = WorldRank(rank), .world_size = ranks, .library = "made up", .program = "./big"},
        1.0, [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); });
    if (!writer) std::fprintf(stderr, "%s\n", writer.error().message.c_str()), std::exit(1);
    writer_ = std::move(*writer);
    writer_->define(DefinitionKind::Module,
                    ModuleDefinition{.id = ModuleId(1), .path = "/nowhere/big"});
    for (std::uint32_t site = 1; site <= kSites; ++site)
      writer_->define(DefinitionKind::Site, SiteDefinition{.id = SiteId(site),
                                                           .frames = {{ModuleId(1), 0x10 * site},
                                                                      {ModuleId(1), 0x99999}}});
    std::vector<WorldRank> all;
    for (int i = 0; i < ranks; ++i) all.emplace_back(i);
    writer_->define(DefinitionKind::Group, GroupDefinition{.id = GroupId(1), .ranks = all});
    writer_->define(
        DefinitionKind::Comm,
        CommDefinition{
            .id = CommId(1), .uid = kWorld, .name = "MPI_COMM_WORLD", .group = GroupId(1)});
    writer_->define(DefinitionKind::Win, WinDefinition{.id = WinId(1),
                                                       .uid = kWindow,
                                                       .name = "grid",
                                                       .comm = CommId(1),
                                                       .flavour = WinFlavour::Allocate});
    lane_ = writer_->open_lane({.id = TaskId(0), .os_thread = 1});
  }
  ~Rank() { writer_->end(RankState::Exited, 0); }

  void fence(std::uint32_t site) {
    Event event = made(MpiCall::MPI_Win_fence, site);
    event.fields.set(Field::win, WinId(1));
    event.fields.set(Field::assertion, 0);
    append(event);
  }
  void reach(Call call, std::uint32_t site) {
    Event event = made(call, site);
    event.fields.set(Field::win, WinId(1));
    event.fields.set(Field::target, WorldRank((rank_ + 1) % ranks_));
    append(event);
  }

 private:
  static Event made(Call call, std::uint32_t site) {
    Event event;
    event.call = call;
    event.site = SiteId(site);
    return event;
  }
  void append(const Event& event) {
    time_ += 1000;
    lane_->append(event, time_, time_ + 400);
  }

  int rank_, ranks_;
  std::unique_ptr<TraceWriter> writer_;
  Lane* lane_ = nullptr;
  std::uint64_t time_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "big_run DIRECTORY RANKS FINDINGS EVENTS\n"), 64;
  const std::string directory = argv[1];
  const int ranks = std::atoi(argv[2]), findings = std::atoi(argv[3]),
            each = std::atoi(argv[4]) / ranks;
  if (const auto made =
          create_run_directory(directory, {.token = "token", .command = {"./big"}}, true);
      !made)
    return std::fprintf(stderr, "%s\n", made.error().message.c_str()), 1;
  // Events 4n and 4n+3 are fences; between them, a put and a get.
  for (int rank = 0; rank < ranks; ++rank) {
    Rank recorded(directory, rank, ranks);
    for (int i = 0; i < each; ++i) {
      const std::uint32_t site = 1 + static_cast<std::uint32_t>(i) % (kSites - 4);
      if (i % 4 == 0 || i % 4 == 3)
        recorded.fence(site);
      else
        recorded.reach(i % 4 == 1 ? MpiCall::MPI_Put : MpiCall::MPI_Get, site);
    }
  }
  std::vector<Finding> all;
  for (int i = 0; i < findings; ++i) {
    const int rank = (i * 37) % ranks, other = (rank + 1 + i % 5) % ranks;
    const auto block = static_cast<std::uint64_t>(i) % static_cast<std::uint64_t>(each / 4 - 1) * 4;
    const auto side = [&](int of, std::uint64_t index, AccessKind kind, Call call) {
      // No two findings have a place in common: otherwise they would be one.
      const auto site = 1 + static_cast<std::uint32_t>(2 * i + (kind == AccessKind::Get)) % kSites;
      return FindingSide{
          .rank = WorldRank(of),
          .kind = kind,
          .call = call,
          .site = SiteId(site),
          .site_key = 1 + static_cast<std::uint64_t>(i) * 2 + (kind == AccessKind::Get),
          .opened = SiteId(1 + static_cast<std::uint32_t>(block) % (kSites - 4)),
          .closed = SiteId(1 + static_cast<std::uint32_t>(block + 3) % (kSites - 4)),
          .begin = 2 * index,
          .end = 2 * (block + 3),
          .bytes = 8,
          .epoch = {EpochKind::Fence, block / 4}};
    };
    Finding finding{.reason = Reason::NoOrder,
                    .sides = {side(rank, block + 1, AccessKind::Put, MpiCall::MPI_Put),
                              side(other, block + 2, AccessKind::Get, MpiCall::MPI_Get)},
                    .owner = WorldRank((rank + 1) % ranks),
                    .where = {64, 72},
                    .win = kWindow,
                    .offset = 64,
                    .times = static_cast<std::uint64_t>(1 + i % 100)};
    for (int r = 0; r < (i % 7 == 0 ? ranks : 3); ++r)
      finding.ranks.insert(WorldRank((rank + r) % ranks));
    finding.ranks.insert({WorldRank(rank), WorldRank(other)});
    finding.owners.insert(finding.owner);
    all.push_back(finding);
  }
  if (const auto written = write_findings(analysis_path(directory), all); !written)
    return std::fprintf(stderr, "%s\n", written.error().message.c_str()), 1;
  if (const auto written = write_messages(messages_path(directory), {}); !written) return 1;
}
