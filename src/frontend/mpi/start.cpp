#include "frontend/mpi/start.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/check.h"
#include "base/fault.h"
#include "base/system_file.h"
#include "base/ticks.h"
#include "frontend/mpi/accesses.h"
#include "frontend/mpi/annotations.h"
#include "frontend/mpi/control.h"
#include "frontend/mpi/objects.h"
#include "frontend/mpi/online.h"
#include "frontend/mpi/stand_ins.h"
#include "frontend/mpi/tasks.h"
#include "frontend/mpi/turns.h"
#include "frontend/threads/openmp.h"
#include "launch/launcher_variables.h"
#include "model/rank_list.h"
#include "options/options.h"
#include "record/divergence.h"
#include "record/start_info.h"
#include "replay/journaling.h"
#include "runtime/failure.h"
#include "runtime/heap_blocks.h"
#include "runtime/reach.h"
#include "runtime/recorder.h"
#include "runtime/resting.h"
#include "runtime/sampling.h"
#include "runtime/thread_accesses.h"
#include "trace/run_directory.h"
#include "trace/shared_directory.h"

namespace photofinish::mpi {
namespace {

constexpr int kDirectoryWait = 30;  // seconds
bool g_has_started = false;
std::vector<pid_t> g_earlier_threads;  // that existed before MPI_Init

// Measured from the time the library is loaded.
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
  return zero_terminated_texts(read_system_file("/proc/self/cmdline"));
}

// Waits for a thread of Open MPI that MPI_Init starts and MPI_Finalize does not wait for.
// MPI_Finalize frees the memory that the thread uses: on a busy machine, short programs crash.
void let_mpi_settle() {
  std::vector<pid_t> threads = other_threads();
  std::erase_if(threads, [](pid_t thread) {
    return std::find(g_earlier_threads.begin(), g_earlier_threads.end(), thread) !=
           g_earlier_threads.end();
  });
  wait_until_resting(threads, std::chrono::seconds(1));
}

// What rank 0 decides and broadcasts.
struct Decision {
  char directory[4096];
  char token[32];
  int ok;
  int made_here;  // by rank 0, not by photofinish check
};

// Identifies the counter that ticks() reads: one for each boot of a machine. 0 if cores may have
// different counters, which x86 kernels show by not using the counter as clock source.
std::uint64_t clock_id() {
  const std::string boot = read_system_file("/proc/sys/kernel/random/boot_id");
  const std::string_view kernel = first_line(boot);
#if defined(__x86_64__)
  const std::string source =
      read_system_file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (first_line(source) != "tsc") return 0;
#endif
  return kernel.empty() ? 0 : XXH3_64bits(kernel.data(), kernel.size());
}

HostClock host_clock(std::uint64_t first_tick) {
  HostClock clock{.id = clock_id(), .ns_per_tick = g_rate.ns_per_tick(), .tick = first_tick};
  // The process may be interrupted between the two reads, so the fastest of several attempts
  // counts.
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
  if (token.empty()) {  // the user's launcher started us: there is no directory yet
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
        complain_once(options.output + " contains an earlier run; writing to " + *made);
      directory = *made;
    }
  }
  if (directory.size() >= sizeof decision.directory)
    return complain_once("the run directory's path is too long"), decision;
  decision.made_here = environment("PHOTOFINISH_TOKEN").empty() ? 1 : 0;
  std::strcpy(decision.directory, directory.c_str());
  std::strncpy(decision.token, token.c_str(), sizeof decision.token - 1);
  decision.ok = 1;
  return decision;
}

// What each rank reports if not all ranks can record.
struct Sight {
  int sees_directory;
  char host[64];
};

// The error message if some ranks do not see the directory.
std::string not_shared(const std::string& directory, const std::vector<Sight>& sights) {
  std::vector<WorldRank> blind;
  std::set<std::string> blind_hosts, seeing_hosts;
  for (std::size_t rank = 0; rank < sights.size(); ++rank) {
    (sights[rank].sees_directory ? seeing_hosts : blind_hosts).insert(sights[rank].host);
    if (!sights[rank].sees_directory) blind.push_back(WorldRank(static_cast<int>(rank)));
  }
  const std::string others =
      seeing_hosts.empty() ? "" : ", which is on " + host_list_text(seeing_hosts);
  return (blind.size() == 1 ? "rank " : "ranks ") + rank_list_text(blind) + " on " +
         host_list_text(blind_hosts) + (blind.size() == 1 ? " does" : " do") +
         " not see the run directory " + directory + others +
         "; choose one on a file system that all nodes share, with -o DIR";
}

// Whether `record` includes this rank.
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

// Runs a step that may fail on one rank while others wait for it. False if it failed; `why` is set
// without an allocation.
template <class Part>
bool attempt(Part part, char (&why)[1024]) {
  try {
    part();
    return true;
  } catch (const std::exception& error) {
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    std::snprintf(why, sizeof why, "cannot start: %s", memory ? "out of memory" : error.what());
    return false;
  }
}

// The table that the recorded ranks of this machine share. Collective over all ranks. The first
// recorded rank creates it, and removes its name once the others have opened it.
std::unique_ptr<PayloadTable> share_table(bool takes_part, const std::vector<WorldRank>& group,
                                          WorldRank self) {
  MPI_Comm machine = MPI_COMM_NULL, sharing = MPI_COMM_NULL;
  REAL(PMPI_Comm_split_type)
  (MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  REAL(PMPI_Comm_split)(machine, takes_part ? 0 : MPI_UNDEFINED, 0, &sharing);
  REAL(PMPI_Comm_free)(&machine);
  if (sharing == MPI_COMM_NULL) return nullptr;
  std::unique_ptr<PayloadTable> table;
  char name[64] = {};
  int rank = 0;
  REAL(PMPI_Comm_rank)(sharing, &rank);
  // A failure is ignored: without the table, each rank records what it receives.
  char ignored[1024];
  if (rank == 0)
    attempt(
        [&] {
          std::string made;
          table = PayloadTable::create(made, group, self);
          if (table != nullptr) std::strncpy(name, made.c_str(), sizeof name - 1);
        },
        ignored);
  REAL(PMPI_Bcast)(name, sizeof name, MPI_CHAR, 0, sharing);
  if (rank != 0 && name[0] != '\0')
    attempt([&] { table = PayloadTable::open(name, group, self); }, ignored);
  REAL(PMPI_Barrier)(sharing);
  if (table != nullptr && rank == 0) PayloadTable::remove_name(name);
  REAL(PMPI_Comm_free)(&sharing);
  return table;
}

// The first entry of the journal: command line and environment of the process, and the group.
void begin_journal(Recorder& recorder, MPI_Group world, const Options& options) {
  Journaling& journaling = *Journaling::get();
  Task* task = recorder.task();
  if (task == nullptr) return;
  Entry entry(journaling, *task);
  journaling.ask(*task, kStartQuery, SiteId(0));
  StartInfo start;
  if (!journaling.replays())
    start = own_start(options.keep_env), start.early = take_early_answers(),
    start.group = journaling.group();
  entry.journal()(start);
  if (journaling.replays()) journaling.set_group(start.group);
  // The program may read the launcher's variables. MPI, which is initialized by now, does not.
  if (journaling.replays())
    for (const std::string& variable : start.environment)
      if (is_of_launcher(variable) && !variable.starts_with("PHOTOFINISH_") &&
          !variable.starts_with("LD_PRELOAD="))
        setenv(variable.substr(0, variable.find('=')).c_str(),
               variable.c_str() + variable.find('=') + 1, 1);
  Objects::get().start(world);
  entry.close();
  TaskState::of(*task).makes_calls = true;
}

Journaling::Setup journal_setup(bool steered) {
  int level = MPI_THREAD_MULTIPLE;
  if (!ObjectLock::needed) REAL(PMPI_Query_thread)(&level);
  return {.one_thread = level <= MPI_THREAD_FUNNELED,
          .others_load = level > MPI_THREAD_SINGLE,
          .steered = steered,
          .abort = [](int code) {
            int is_over = 0;
            if (REAL(PMPI_Finalized)(&is_over) == MPI_SUCCESS && is_over == 0)
              REAL(PMPI_Abort)(MPI_COMM_SELF, code);
          }};
}

// Starts the replay of one rank. What other ranks provided is in its journal.
Recorder* start_replay(const std::string& directory, RankDefinition self, const Options& options) {
  const WorldRank rank(std::atoi(environment("PHOTOFINISH_REPLAY_RANK").c_str()));
  auto recorded = RankTrace::open(directory, rank);
  if (!recorded) return complain_once(recorded.error().message), nullptr;
  self.rank = rank;
  self.world_size = (*recorded)->world_size();
  // A debugger may start the rank several times in the same directory.
  for (const std::string& path : {trace_path(options.output, rank), live_path(options.output, rank),
                                  divergence_path(options.output)})
    unlink(path.c_str());
  auto started = Recorder::start(options.output, self, options);
  if (!started) return complain_once(started.error().message), nullptr;
  const bool steered = Steering::has_schedule(directory);
  Journaling::start(**started, options.output, std::move(*recorded), journal_setup(steered));
  if (const std::string path = environment("PHOTOFINISH_REPLAY_OFFERS"); !path.empty()) {
    auto files = PayloadFiles::open(path, rank);
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
        "PHOTOFINISH_REPLAY_OFFERS", "PHOTOFINISH_REPLAY_LEFT_OUT", "PHOTOFINISH_EXPLAIN"})
    unsetenv(name);
  begin_journal(**started, MPI_GROUP_NULL, options);
  steered ? start_watching_steered_values() : start_watching_values();
  guarded(follow_turns);
  return *started;
}

}  // namespace

void before_first_call() {
  g_earlier_threads = other_threads();
  ThreadAccesses::before_start();
  // `photofinish exec` prepended the library to LD_PRELOAD, for shell scripts between it and the
  // program. Children of the program do not need it.
  if (const char* preload = std::getenv("PHOTOFINISH_PRELOAD_BEFORE")) {
    // setenv would allocate from the program's heap. The environment refers to the string.
    if (*preload != '\0')
      putenv((new std::string(std::string("LD_PRELOAD=") + preload))->data());
    else
      unsetenv("LD_PRELOAD");
    unsetenv("PHOTOFINISH_PRELOAD_BEFORE");
  }
}

bool has_started() { return g_has_started; }

bool is_replay() {
  return environment("PHOTOFINISH_ACTIVE") == "1" && !environment("PHOTOFINISH_REPLAY").empty();
}

bool will_be_recorded() {
  if (environment("PHOTOFINISH_ACTIVE") != "1" || is_replay()) return false;
  const auto options = parse_options(environment("PHOTOFINISH_OPTIONS"));
  if (!options || options->record.empty()) return false;
  int rank = 0;
  REAL(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  return is_recorded(*options, rank);
}

// Prepares a process that is recorded or replayed. If the launcher's variables show the rank, ranks
// that are not recorded are left unchanged.
[[gnu::constructor]] void prepare_process() {
  // Before we allocate memory, which could lie in these ranges.
  if (const char* ranges = std::getenv("PHOTOFINISH_REPLAY_MEMORY")) reserve_ranges(ranges);
  if (environment("PHOTOFINISH_ACTIVE") != "1") return;
  const auto options = parse_options(environment("PHOTOFINISH_OPTIONS"));
  if (!options || options->record.empty()) return;
  if (const auto rank = rank_of_launcher(); rank && !is_recorded(*options, *rank)) return;
  // A steered run executes the copy of the code that was checked, since it has the access sites.
  const std::string replayed = environment("PHOTOFINISH_REPLAY");
  if (!Steering::has_schedule(replayed.empty() ? options->output : replayed)) prepare_values();
  Turns::name_threads();
}

namespace {

// Called on any thread when this rank fails (runtime/failure.h).
void stop_watching() noexcept {
  if (Reach* reach = Reach::get()) reach->stop();
  Journaling::stop();
}

void say_unrecorded(const char* problem) {
  char line[1100];
  std::snprintf(line, sizeof line, "%s (the program continues, unrecorded)", problem);
  complain_once(line);
}

// Called on all ranks if some cannot record: the first of those reports why, and the run is
// removed.
void give_up(const Decision& decision, int rank, int size, int first_failed, bool sees_directory,
             const std::string& host, const char* problem) {
  Sight own{.sees_directory = sees_directory ? 1 : 0, .host = {}};
  std::strncpy(own.host, host.c_str(), sizeof own.host - 1);
  std::vector<Sight> sights;
  char ignored[1024];
  int has_room = 1;  // the first failed rank has memory for the answers of the others
  if (rank == first_failed)
    has_room = attempt([&] { sights.resize(static_cast<std::size_t>(size)); }, ignored) ? 1 : 0;
  REAL(PMPI_Bcast)(&has_room, 1, MPI_INT, first_failed, MPI_COMM_WORLD);
  if (has_room != 0) REAL(PMPI_Gather)
  (&own, sizeof own, MPI_BYTE, sights.data(), sizeof own, MPI_BYTE, first_failed, MPI_COMM_WORLD);
  attempt(
      [&] {
        Recorder::discard();
        if (rank == first_failed)
          say_unrecorded(!sees_directory && !sights.empty()
                             ? not_shared(decision.directory, sights).c_str()
                             : problem);
        if (sees_directory && decision.made_here == 0) note_unrecorded(decision.directory);
      },
      ignored);
  REAL(PMPI_Barrier)(MPI_COMM_WORLD);  // all files in the directory are removed
  if (rank == 0 && decision.made_here != 0)
    attempt([&] { remove_run_directory(decision.directory); }, ignored);
}

Recorder* start_on_all_ranks(const void* session, std::uint64_t first_tick);

}  // namespace

Recorder* start_recording(const void* session, std::uint64_t first_tick) {
  g_has_started = true;
  const char* const active = std::getenv("PHOTOFINISH_ACTIVE");
  if (active == nullptr || std::strcmp(active, "1") != 0) return nullptr;
  g_checks_throw = true;
  on_failure(stop_watching);
  Recorder* recorder = nullptr;
  guarded([&] { recorder = start_on_all_ranks(session, first_tick); });
  return has_failed() ? nullptr : recorder;
}

namespace {

// All ranks take part in the collective steps, whatever fails on one of them: the decision of rank
// 0, whether all can record, and the start of the steering and Online.
Recorder* start_on_all_ranks(const void* session, std::uint64_t first_tick) {
  unsetenv("PHOTOFINISH_ACTIVE");
  char problem[1024] = "";  // why this rank cannot record
  std::optional<Options> options;
  RankDefinition self;
  MPI_Group world;
  int rank = 0, level = MPI_THREAD_SINGLE;
  attempt([] { let_mpi_settle(); }, problem);
  attempt(
      [&] {
        auto parsed = parse_options(environment("PHOTOFINISH_OPTIONS"));
        if (parsed)
          options = std::move(*parsed);
        else
          std::snprintf(problem, sizeof problem, "%s", parsed.error().message.c_str());
      },
      problem);
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
    REAL(PMPI_Query_thread)(&level);
    ObjectLock::needed = level == MPI_THREAD_MULTIPLE;
    ThreadAccesses::started(level >= MPI_THREAD_SERIALIZED);
  }
  set_fault(std::getenv("PHOTOFINISH_FAULT"), rank);
  attempt(
      [&] {
        self.rank = WorldRank(rank);
        self.host = host_name();
        self.pid = getpid();
        self.library = library_version();
        if (const auto words = command_line(); !words.empty()) self.program = words[0];
        self.clock = host_clock(first_tick);
      },
      problem);
  if (const char* const replayed = std::getenv("PHOTOFINISH_REPLAY");
      replayed != nullptr && *replayed != '\0') {
    if (problem[0] == '\0' && options) return start_replay(replayed, self, *options);
    return complain_once(problem), nullptr;
  }

  // Without a communicator, ranks cannot agree: `check` must have created the directory.
  Decision decision{};
  if (session != nullptr) {
    if (!options || problem[0] != '\0') return complain_once(problem), nullptr;
    std::string directory = absolute_path(options->output);
    std::strncpy(decision.directory, directory.c_str(), sizeof decision.directory - 1);
    std::strncpy(decision.token, environment("PHOTOFINISH_TOKEN").c_str(),
                 sizeof decision.token - 1);
    decision.ok = decision.token[0] != '\0';
    if (!decision.ok)
      complain_once(
          "a program that only uses MPI sessions must be started by photofinish check; not "
          "recording");
  } else {
    if (rank == 0) {
      if (problem[0] != '\0' || !options ||
          !attempt([&] { decision = decide(*options); }, problem)) {
        decision.ok = 0;
        say_unrecorded(problem);
      }
    }
    REAL(PMPI_Bcast)(&decision, sizeof decision, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  if (!decision.ok) return nullptr;

  Recorder* recorder = nullptr;
  bool recording = false, left_out = false, has_schedule = false, sees_directory = false;
  std::string directory;
  std::vector<WorldRank> all_recorded;
  std::unique_ptr<PayloadTable> table;
  if (problem[0] == '\0')
    attempt(
        [&] {
          directory = decision.directory;
          has_schedule = Steering::has_schedule(directory);
          recording = !options->record.empty();
          left_out = recording && !is_recorded(*options, rank);
          std::string why;
          sees_directory = sees_token(decision.directory, decision.token, kDirectoryWait);
          if (!sees_directory) {
            why = "rank " + std::to_string(rank) + " on " + self.host +
                  " cannot see the run directory " + decision.directory +
                  (is_on_network(directory)  // otherwise it did not wait
                       ? " after " + std::to_string(kDirectoryWait) + " s"
                       : "") +
                  "; put it on a file system that all nodes share, with -o DIR";
          } else if (left_out && !has_schedule) {
            // A rank that is neither recorded nor steered needs nothing after MPI_Init.
          } else if (auto started = Recorder::start(directory, self, *options)) {
            recorder = *started;
          } else {
            why = started.error().message + "; choose another place with -o DIR";
          }
          std::snprintf(problem, sizeof problem, "%s", why.c_str());
          if (recording) all_recorded = recorded_group(*options, self.world_size);
        },
        problem);

  // All ranks record, or none: a part would be taken for the whole run. The ranks also agree on
  // whether they are steered, and on online analysis, which needs one thread level.
  bool steered = false, many_threads = false;
  if (session == nullptr) {
    const int mine[] = {problem[0] == '\0' ? self.world_size : rank,
                        level == MPI_THREAD_MULTIPLE ? 0 : 1, has_schedule ? 0 : 1};
    int all[3] = {};
    REAL(PMPI_Allreduce)(mine, all, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    many_threads = all[1] == 0;
    steered = all[2] == 0;
    if (all[0] < self.world_size) {
      give_up(decision, rank, self.world_size, all[0], sees_directory, self.host, problem);
      return nullptr;
    }
    // From here on all ranks can record, and have the same options.
    if (all_recorded.size() > 1)
      table = share_table(recorder != nullptr && !left_out, all_recorded, self.rank);
  } else if (problem[0] != '\0') {
    return say_unrecorded(problem), nullptr;
  }
  if (left_out && !steered) return nullptr;
  if (recorder != nullptr && (level == MPI_THREAD_MULTIPLE || session != nullptr))
    recorder->writer().note_overlapping_calls();
  if (recording && !left_out) {
    Journaling::start(*recorder, directory, nullptr, journal_setup(steered));
    Journaling::get()->set_group(std::move(all_recorded));
    Journaling::get()->share(std::move(table), nullptr);
    begin_journal(*recorder, world, *options);
    if (steered)
      Control::start(self.rank, self.world_size, directory, recorder->writer().known(), true);
    steered ? start_watching_steered_values() : start_watching_values();
    guarded(follow_turns);
    return recorder;
  }
  guarded([&] {
    Objects::get().start(world);
    if (const auto slowdown = slowdown_of(options->budget);
        options->sample == "on" || *slowdown > 0) {
      Sampling::start(*slowdown, first_tick, self.clock.ns_per_tick);
      recorder->writer().define(DefinitionKind::Sampling,
                                SamplingDefinition{.id = SamplingId(1), .slowdown = *slowdown});
    }
  });
  if (steered)
    Control::start(self.rank, self.world_size, directory, recorder->writer().known(), false);
  guarded([] {
    start_watching_memory();
    acquire_annotations();
  });
  if (!steered) guarded([] { HeapBlocks::start(photofinish_is_program); });
  if (openmp::is_followed()) follow_tasks();
  if (session == nullptr && !many_threads && !options->offline)
    Online::start(recorder->writer().known(), directory, *options);
  return recorder;
}

}  // namespace

void before_last_call() {
  if (Reach* reach = Reach::get()) reach->stop();
  if (Online* online = Online::get()) online->finish();
  guarded([] {
    if (Sampling* sampling = Sampling::get())
      if (Recorder* recorder = Recorder::get())
        recorder->writer().define(DefinitionKind::Sampling, sampling->summary(ticks()));
  });
}

}  // namespace photofinish::mpi
