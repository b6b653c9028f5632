#include "frontend/mpi/start.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/ticks.h"
#include "frontend/mpi/accesses.h"
#include "frontend/mpi/annotations.h"
#include "frontend/mpi/control.h"
#include "frontend/mpi/journaling.h"
#include "frontend/mpi/objects.h"
#include "frontend/mpi/online.h"
#include "frontend/mpi/stand_ins.h"
#include "model/rank_list.h"
#include "options/options.h"
#include "record/departure.h"
#include "record/start_info.h"
#include "runtime/bystanders.h"
#include "runtime/reach.h"
#include "runtime/recorder.h"
#include "runtime/resting.h"
#include "runtime/sampling.h"
#include "trace/run_directory.h"

namespace photofinish::mpi {
namespace {

bool g_has_started = false;
std::vector<pid_t> g_earlier_threads;  // than MPI's

// Measured from when the library is loaded.
const TickRate g_rate;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
  int length = 0;
  REAL(PMPI_Get_library_version)(text, &length);
  std::string version = text;
  version.resize(std::min(version.find_first_of("\r\n"), version.size()));
  if (const std::size_t comma = version.find(','); comma != std::string::npos)
    version.resize(comma);
  for (char& c : version)
    if (c == '\t') c = ' ';
  return version;
}

std::vector<std::string> command_line() {
  std::vector<std::string> words;
  if (std::FILE* file = std::fopen("/proc/self/cmdline", "re")) {
    std::string word;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
      if (c != '\0')
        word += static_cast<char>(c);
      else
        words.push_back(std::exchange(word, {}));
    }
    std::fclose(file);
  }
  return words;
}

// MPI_Init has left something to a thread of Open MPI's (to tell itself which programming models
// are there), and MPI_Finalize does not wait for it but frees what it is about: on a busy machine
// ranks of short programs would crash at their end, now and then.
void let_mpi_settle() {
  std::vector<pid_t> threads = other_threads();
  std::erase_if(threads, [](pid_t thread) {
    return std::find(g_earlier_threads.begin(), g_earlier_threads.end(), thread) !=
           g_earlier_threads.end();
  });
  wait_until_resting(threads, std::chrono::seconds(1));
}

// What rank 0 decides and tells the others.
struct Decision {
  char directory[4096];
  char token[32];
  int ok;
};

// Which counter the ticks are of. The kernel that runs has an id; x86 counters differ from core to
// core unless it trusts them.
std::uint64_t clock_id() {
  std::string kernel;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), kernel);
#if defined(__x86_64__)
  std::string source;
  std::getline(std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
               source);
  if (source != "tsc") return 0;
#endif
  return kernel.empty() ? 0 : XXH3_64bits(kernel.data(), kernel.size());
}

HostClock host_clock(std::uint64_t first_tick) {
  HostClock clock{.id = clock_id(), .ns_per_tick = g_rate.ns_per_tick(), .tick = first_tick};
  // The two are read one after the other, and we may be interrupted in between: the quickest of
  // some attempts counts.
  std::uint64_t quickest = ~std::uint64_t{0};
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::uint64_t before = ticks(), now = clock_ns(CLOCK_REALTIME), took = ticks() - before;
    if (took >= quickest) continue;
    quickest = took;
    clock.ns = now - static_cast<std::uint64_t>(static_cast<double>(before - first_tick) *
                                                clock.ns_per_tick);
  }
  return clock;
}

Decision decide(const Options& options) {
  Decision decision{};
  std::string directory = absolute_path(options.output);
  std::string token = environment("PHOTOFINISH_TOKEN");
  if (token.empty()) {  // under a launcher of the user's: the directory is ours to make
    const RunInfo info{.token = new_token(),
                       .command = command_line(),
                       .options = format_options(options),
                       .folder = absolute_path("")};
    token = info.token;
    if (options.overwrite) {
      if (const auto made = create_run_directory(directory, info, true); !made)
        return complain_once(made.error().message), decision;
    } else {
      const auto made = create_next_run_directory(directory, info);
      if (!made) return complain_once(made.error().message), decision;
      if (*made != directory)
        complain_once(options.output + " holds an earlier run; this one goes to " + *made);
      directory = *made;
    }
  }
  if (directory.size() >= sizeof decision.directory)
    return complain_once("the run directory's path is too long"), decision;
  std::strcpy(decision.directory, directory.c_str());
  std::strncpy(decision.token, token.c_str(), sizeof decision.token - 1);
  decision.ok = 1;
  return decision;
}

// Whether `record` keeps this rank.
bool is_recorded(const Options& options, int rank) {
  if (options.record == "all") return true;
  const auto ranks = parse_rank_list(options.record);
  return ranks && ranks->contains(WorldRank(rank));
}

std::vector<WorldRank> recorded_group(const Options& options, int world_size) {
  std::vector<WorldRank> group;
  if (options.record == "all") {
    for (int rank = 0; rank < world_size; ++rank) group.push_back(WorldRank(rank));
  } else if (const auto ranks = parse_rank_list(options.record)) {
    for (const WorldRank rank : *ranks)
      if (rank.value < world_size) group.push_back(rank);
  }
  return group;
}

// The first entry of the journal: how the process was started, and what it knew of the others from
// the start.
void begin_journal(Recorder& recorder, MPI_Group world) {
  Journaling& journaling = *Journaling::get();
  Task* task = recorder.task();
  if (task == nullptr) return;
  Entry entry(journaling, *task);
  journaling.ask(*task, kStartQuestion, SiteId(0));
  StartInfo start;
  if (!journaling.replays())
    start = own_start(), start.early = take_early_answers(), start.group = journaling.group();
  entry.journal()(start);
  if (journaling.replays()) journaling.set_group(start.group);
  // The program may want to know its launcher's words, once MPI can no longer mistake them.
  if (journaling.replays())
    for (const std::string& variable : start.environment)
      if (is_of_launcher(variable) && !variable.starts_with("PHOTOFINISH_") &&
          !variable.starts_with("LD_PRELOAD="))
        setenv(variable.substr(0, variable.find('=')).c_str(),
               variable.c_str() + variable.find('=') + 1, 1);
  Objects::get().start(world);
}

// A rank of a recorded run, alone: what it cannot ask the others is in its journal.
Recorder* start_replay(const std::string& directory, RankDefinition self, const Options& options) {
  const WorldRank rank(std::atoi(environment("PHOTOFINISH_REPLAY_RANK").c_str()));
  auto recorded = RankTrace::open(directory, rank);
  if (!recorded) return complain_once(recorded.error().message), nullptr;
  self.rank = rank;
  self.world_size = (*recorded)->world_size();
  // A debugger starts it again and again in the same place.
  for (const std::string& path : {trace_path(options.output, rank), live_path(options.output, rank),
                                  departure_path(options.output)})
    unlink(path.c_str());
  auto started = Recorder::start(options.output, self, options);
  if (!started) return complain_once(started.error().message), nullptr;
  Journaling::start(**started, options.output, std::move(*recorded));
  if (const std::string path = environment("PHOTOFINISH_REPLAY_OFFERS"); !path.empty()) {
    auto files = OfferFiles::open(path, rank);
    if (!files) return complain_once(files.error().message), nullptr;
    Journaling::get()->share(nullptr, std::move(*files));
  }
  if (const std::string order = environment("PHOTOFINISH_EXPLAIN"); !order.empty()) {
    auto wanted = read_order(order);
    if (!wanted) return complain_once(wanted.error().message), nullptr;
    Journaling::get()->keep_account(std::move(*wanted));
  }
  for (const char* name :
       {"PHOTOFINISH_REPLAY", "PHOTOFINISH_REPLAY_RANK", "PHOTOFINISH_REPLAY_MEMORY",
        "PHOTOFINISH_REPLAY_OFFERS", "PHOTOFINISH_EXPLAIN"})
    unsetenv(name);
  begin_journal(**started, MPI_GROUP_NULL);
  start_watching_values();
  return *started;
}

}  // namespace

void before_first_call() {
  g_earlier_threads = other_threads();
  Bystander::before_start();
  // exec put us in front of this; a shell script between it and the program needed it, the
  // program's own children do not.
  if (const char* preload = std::getenv("PHOTOFINISH_PRELOAD_BEFORE")) {
    if (*preload != '\0')
      setenv("LD_PRELOAD", preload, 1);
    else
      unsetenv("LD_PRELOAD");
    unsetenv("PHOTOFINISH_PRELOAD_BEFORE");
  }
}

bool has_started() { return g_has_started; }

// Where the launcher tells which rank this will be, those that are not recorded stay as they are.
[[gnu::constructor]] void prepare_process() {
  // First of all: what we allocate ourselves may lie where it should be.
  if (const char* ranges = std::getenv("PHOTOFINISH_REPLAY_MEMORY")) reserve_ranges(ranges);
  if (environment("PHOTOFINISH_ACTIVE") != "1") return;
  const auto options = parse_options(environment("PHOTOFINISH_OPTIONS"));
  if (!options || options->record.empty()) return;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name);
        rank != nullptr && !is_recorded(*options, std::atoi(rank)))
      return;
  prepare_values();
}

Recorder* start_recording(const void* session, std::uint64_t first_tick) {
  g_has_started = true;
  if (environment("PHOTOFINISH_ACTIVE") != "1") return nullptr;
  unsetenv("PHOTOFINISH_ACTIVE");
  let_mpi_settle();
  auto options = parse_options(environment("PHOTOFINISH_OPTIONS"));
  if (!options) return complain_once(options.error().message), nullptr;

  RankDefinition self;
  MPI_Group world;
  int rank = 0;
#if MPI_VERSION >= 4
  if (session != nullptr) {
    REAL(PMPI_Group_from_session_pset)(*static_cast<const MPI_Session*>(session), "mpi://WORLD",
                                       &world);
    REAL(PMPI_Group_rank)(world, &rank);
    REAL(PMPI_Group_size)(world, &self.world_size);
    ObjectLock::needed = true;
  } else
#endif
  {
    REAL(PMPI_Comm_group)(MPI_COMM_WORLD, &world);
    REAL(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
    REAL(PMPI_Comm_size)(MPI_COMM_WORLD, &self.world_size);
    int level = MPI_THREAD_SINGLE;
    REAL(PMPI_Query_thread)(&level);
    ObjectLock::needed = level == MPI_THREAD_MULTIPLE;
    Bystander::started(level >= MPI_THREAD_SERIALIZED);
  }
  self.rank = WorldRank(rank);
  self.host = host_name();
  self.pid = getpid();
  self.mpi = library_version();
  if (const auto words = command_line(); !words.empty()) self.program = words[0];
  self.clock = host_clock(first_tick);
  if (const std::string replayed = environment("PHOTOFINISH_REPLAY"); !replayed.empty())
    return start_replay(replayed, self, *options);

  // Without a communicator nobody can be told: check has made the directory, or everybody's own
  // luck decides.
  Decision decision{};
  if (session != nullptr) {
    std::string directory = absolute_path(options->output);
    std::strncpy(decision.directory, directory.c_str(), sizeof decision.directory - 1);
    std::strncpy(decision.token, environment("PHOTOFINISH_TOKEN").c_str(),
                 sizeof decision.token - 1);
    decision.ok = decision.token[0] != '\0';
    if (!decision.ok)
      complain_once(
          "a program with MPI sessions only needs photofinish check to start it; not recording");
  } else {
    if (rank == 0) decision = decide(*options);
    REAL(PMPI_Bcast)(&decision, sizeof decision, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  if (!decision.ok) return nullptr;

  const bool recording = !options->record.empty(),
             left_out = recording && !is_recorded(*options, rank);
  std::string problem;
  Recorder* recorder = nullptr;
  if (!holds_token(decision.directory, decision.token)) {
    problem = "rank " + std::to_string(rank) + " on " + self.host +
              " does not see the run directory " + decision.directory +
              "; put it on a file system that all nodes share, with -o DIR";
  } else if (left_out) {
    // Whoever is not recorded has nothing of ours behind MPI_Init.
  } else if (auto started = Recorder::start(decision.directory, self, *options)) {
    recorder = *started;
  } else {
    problem = started.error().message + "; choose another place with -o DIR";
  }

  // Open on all ranks of a machine before any of them goes on; and then nobody else needs its name.
  const std::vector<WorldRank> group =
      recording && !left_out ? recorded_group(*options, self.world_size) : std::vector<WorldRank>{};
  const std::string table_name = std::string("/photofinish-") + decision.token;
  std::unique_ptr<OfferTable> table = group.size() > 1 && session == nullptr && recorder != nullptr
                                          ? OfferTable::open(table_name, group, self.rank)
                                          : nullptr;

  // A record of some ranks would be taken for the whole: all or none. The first that failed speaks
  // for all.
  if (session == nullptr) {
    const int failed = problem.empty() ? self.world_size : rank;
    int first_failed = 0;
    REAL(PMPI_Allreduce)(&failed, &first_failed, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (group.size() > 1) OfferTable::remove_name(table_name);
    if (first_failed < self.world_size) {
      if (first_failed == rank) complain_once(problem + " (the program goes on, unrecorded)");
      Recorder::discard();
      return nullptr;
    }
  } else if (!problem.empty()) {
    complain_once(problem + " (the program goes on, unrecorded)");
    return nullptr;
  }
  if (left_out) return nullptr;
  if (recording) {
    Journaling::start(*recorder, decision.directory, nullptr);
    Journaling::get()->set_group(group);
    Journaling::get()->share(std::move(table), nullptr);
    begin_journal(*recorder, world);
    start_watching_values();
    return recorder;
  }
  Objects::get().start(world);
  if (const auto slowdown = slowdown_of(options->budget);
      options->sample == "on" || *slowdown > 0) {
    Sampling::start(*slowdown, first_tick, self.clock.ns_per_tick);
    recorder->writer().define(DefinitionKind::Sampling,
                              SamplingDefinition{.id = SamplingId(1), .slowdown = *slowdown});
  }
  if (session == nullptr)
    Control::start(self.rank, self.world_size, decision.directory, recorder->writer().known());
  start_watching_memory();
  hear_annotations();
  if (session == nullptr) Online::start(recorder->writer().known(), decision.directory, *options);
  return recorder;
}

void before_last_call() {
  if (Reach* reach = Reach::get()) reach->stop();
  if (Online* online = Online::get()) online->finish();
  if (Sampling* sampling = Sampling::get())
    if (Recorder* recorder = Recorder::get())
      recorder->writer().define(DefinitionKind::Sampling, sampling->summary(ticks()));
}

}  // namespace photofinish::mpi
