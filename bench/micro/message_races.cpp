// The cost of detecting message races: events per second on one core, and memory.
//
//   cmake --build build/release --target message_races
//   build/release/bin/message_races [messages of each row, 300000 by default]
//   build/release/bin/message_races long [events, 100000000 by default]
//   build/release/bin/message_races one processes outstanding tags [messages]
//
// Simulated processes keep a given number of wildcard receives posted, with alternating tags.
// Messages come from eight neighbors, or from any process; half as many are pending as receives are
// posted. One in ten is synchronous. An event is a send, a receive, or the completion of a receive
// or synchronous send. Completions of standard sends create no synchronization edge and are not
// counted.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "detect/message_race.h"

using namespace photofinish;

namespace {

// Processor time of this process: others may be running.
double seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double megabytes() {
  std::size_t size = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  const int read = std::fscanf(file, "%zu %zu", &size, &resident);
  std::fclose(file);
  return read == 2
             ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6
             : 0;
}

struct Shape {
  int processes = 64, outstanding = 16, tags = 4;
  bool neighbors = true, wild = true;
  int barrier_every = 0;  // in rounds
};

class Load {
 public:
  explicit Load(const Shape& shape)
      : shape_(shape), races_(shape.processes), ranks_(static_cast<std::size_t>(shape.processes)) {
    for (Rank& rank : ranks_) {
      rank.open.resize(static_cast<std::size_t>(shape.tags));
      rank.flying.resize(static_cast<std::size_t>(shape.tags));
    }
  }

  // Adds one message for each process.
  void round() {
    for (int p = 0; p < shape_.processes; ++p) {
      Rank& rank = ranks_[static_cast<std::size_t>(p)];
      while (rank.open_count < shape_.outstanding) post(p, rank);
      send(p, rank);
      while (rank.flying_count > std::max(0, shape_.outstanding / 2 - 1)) deliver(p, rank);
    }
    if (shape_.barrier_every != 0 && ++rounds_ % shape_.barrier_every == 0) {
      for (int p = 0; p < shape_.processes; ++p) races_.release(WorldRank(p), 1);
      for (int p = 0; p < shape_.processes; ++p) races_.acquire(WorldRank(p), 1);
      races_.forget(1);
    }
  }

  std::uint64_t events() const { return events_; }
  const MessageRaces& races() const { return races_; }

 private:
  struct Open {
    MessageRaces::Receive receive;
    int from;
  };
  struct Flying {
    MessageRaces::Send send;
    bool synchronous;
  };
  struct Rank {
    std::vector<std::deque<Open>> open;
    std::vector<std::deque<Flying>> flying;
    int open_count = 0, flying_count = 0;
    unsigned next_open = 0, next_send = 0, next_delivery = 0;
  };

  std::uint32_t random() { return random_ = random_ * 1664525 + 1013904223, random_ >> 8; }

  int sender(int p, unsigned number) {
    if (!shape_.wild || shape_.neighbors) {  // with named sources both ends must agree: by number
      const int far = 1 + static_cast<int>(number % 8) % (shape_.processes - 1);
      return (p + far) % shape_.processes;
    }
    return static_cast<int>((static_cast<std::uint32_t>(p) + 1 +
                             random() % static_cast<std::uint32_t>(shape_.processes - 1)) %
                            static_cast<std::uint32_t>(shape_.processes));
  }

  void post(int p, Rank& rank) {
    const unsigned number = rank.next_open++;
    const auto tag = static_cast<std::size_t>(number) % rank.open.size();
    const WorldRank source = shape_.wild ? kAnySource : WorldRank(sender(p, number));
    const MessageEnd end{WorldRank(p), number, SiteId(1), 1, static_cast<std::int64_t>(tag)};
    rank.open[tag].push_back(
        {races_.receive(end, Uid(1), {source, static_cast<std::int64_t>(tag)}), 0});
    ++rank.open_count;
    ++events_;
  }

  void send(int p, Rank& rank) {
    const unsigned number = rank.next_send++;
    const auto tag = static_cast<std::size_t>(number) % rank.flying.size();
    const int from = sender(p, number);
    const bool synchronous = random() % 10 == 0;
    const MessageEnd end{WorldRank(from), number, SiteId(2), 2, static_cast<std::int64_t>(tag)};
    rank.flying[tag].push_back(
        {races_.send(end, Uid(1), WorldRank(p),
                     synchronous ? SendMode::Synchronous : SendMode::Standard),
         synchronous});
    ++rank.flying_count;
    ++events_;
  }

  void deliver(int, Rank& rank) {
    const auto tag = static_cast<std::size_t>(rank.next_delivery++) % rank.flying.size();
    const Flying flying = rank.flying[tag].front();
    const Open open = rank.open[tag].front();
    rank.flying[tag].pop_front();
    rank.open[tag].pop_front();
    --rank.flying_count;
    --rank.open_count;
    races_.match(flying.send, open.receive);
    races_.complete(open.receive);
    ++events_;
    if (flying.synchronous) {
      races_.complete(flying.send);
      ++events_;
    }
  }

  const Shape shape_;
  MessageRaces races_;
  std::vector<Rank> ranks_;
  std::uint64_t events_ = 0;
  std::uint32_t random_ = 1;
  int rounds_ = 0;
};

void measure(const Shape& shape, std::uint64_t messages) {
  Load load(shape);
  const auto rounds =
      std::max<std::uint64_t>(4, messages / static_cast<std::uint64_t>(shape.processes));
  for (std::uint64_t i = 0; i < rounds / 4; ++i)
    load.round();  // until the number of posted
                   // receives is stable
  const std::uint64_t before = load.events();
  const double start = seconds();
  for (std::uint64_t i = 0; i < rounds; ++i) load.round();
  const double took = seconds() - start;
  const auto held = load.races().held();
  std::printf("| %s%s | %d | %d | %d | %.2f | %zu | %.1f |\n",
              shape.wild ? (shape.neighbors ? "neighbors" : "anybody") : "named sources",
              shape.barrier_every != 0 ? ", barriers" : "", shape.processes, shape.outstanding,
              shape.tags, static_cast<double>(load.events() - before) / took * 1e-6, held.kept,
              static_cast<double>(held.clock_bytes) / 1e6);
  std::fflush(stdout);
}

void run_long(std::uint64_t events) {
  Shape shape;
  Load load(shape);
  std::puts(
      "| events | million events/s | resident MB | kept matches | clocks, MB "
      "|\n|---|---|---|---|---|");
  double last = seconds();
  std::uint64_t last_events = 0;
  for (std::uint64_t next = events / 10; next <= events; next += events / 10) {
    while (load.events() < next) load.round();
    const double now = seconds();
    const auto held = load.races().held();
    std::printf("| %llu | %.2f | %.1f | %zu | %.2f |\n",
                static_cast<unsigned long long>(load.events()),
                static_cast<double>(load.events() - last_events) / (now - last) * 1e-6, megabytes(),
                held.kept, static_cast<double>(held.clock_bytes) / 1e6);
    std::fflush(stdout);
    last = now;
    last_events = load.events();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "long") {
    run_long(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100000000);
    return 0;
  }
  if (argc > 4 && std::string(argv[1]) == "one") {
    measure({std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4])},
            argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 300000);
    return 0;
  }
  const std::uint64_t messages = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 300000;
  std::puts(
      "| messages from | processes | open receives | tags | million events/s | kept matches | "
      "clocks, MB |\n|---|---|---|---|---|---|---|");
  for (const int processes : {4, 16, 64, 256, 1024, 4096}) measure({processes, 16, 4}, messages);
  for (const int processes : {4, 64, 1024, 4096}) measure({processes, 16, 4, false}, messages);
  for (const int processes : {64, 4096}) measure({processes, 16, 4, false, true, 100}, messages);
  for (const int outstanding : {1, 4, 64, 256}) measure({64, outstanding, 4}, messages);
  for (const int tags : {1, 16, 64}) measure({64, std::max(16, tags), tags}, messages);
  for (const int processes : {64, 4096}) measure({processes, 16, 4, true, false}, messages);
}
