// Records a rank for tests: written to a directory of its own, by this process or by a child that
// dies, and read back.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../launch/temp_dir.h"
#include "frontend/mpi/table/mpi_call.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace photofinish::testing {

inline constexpr WorldRank kRank{3};
inline constexpr int kWorldSize = 8;

inline RankDefinition rank_definition() {
  return {.rank = kRank,
          .world_size = kWorldSize,
          .host = "node7",
          .pid = 4711,
          .library = "Some MPI 4.1",
          .program = "./solver",
          .clock = {.id = 5, .ns_per_tick = 40, .tick = 99, .ns = 1'700'000'000'000'000'000},
          .ticks_per_unit = 4};
}

inline std::string& complaints() {
  static std::string lines;
  return lines;
}

// Times are nanoseconds: one unit each.
inline std::unique_ptr<TraceWriter> start_recording(const std::string& directory) {
  complaints().clear();
  auto writer = TraceWriter::create(directory, rank_definition(), 1.0,
                                    [](const std::string& line) { complaints() += line + "\n"; });
  if (!writer) {
    ADD_FAILURE() << writer.error().message;
    return nullptr;
  }
  return std::move(*writer);
}

inline TaskDefinition task(std::uint32_t id) { return {.id = TaskId(id), .os_thread = 1000 + id}; }

// Every number of an event depends on `n`, so that all events differ.
inline Event event(std::int64_t n, std::uint32_t task = 0, Call call = MpiCall::MPI_Isend) {
  Event made;
  made.call = call;
  made.task = TaskId(task);
  made.site = SiteId(static_cast<std::uint32_t>(n % 7 + 1));
  made.start = static_cast<std::uint64_t>(n) * 100;
  made.duration = static_cast<std::uint64_t>(n % 50);
  made.fields.set(Field::comm, 1);
  made.fields.set(Field::to, n % kWorldSize);
  made.fields.set(Field::send_tag, n);
  made.buffers.push_back(
      {BufferUse::Read, 0x7f0000000000u + static_cast<std::uint64_t>(n) * 64, n, TypeId(2)});
  return made;
}

inline void record(Lane& lane, const Event& made) {
  lane.append(made, made.start, made.start + made.duration);
}

inline std::string describe_event(const Event& e) {
  std::ostringstream out;
  out << traits(e.call).name << " task=" << e.task.value << " site=" << e.site.value
      << " start=" << e.start << " duration=" << e.duration << " returned=" << e.returned
      << " result=" << e.result;
  e.fields.each(~std::uint64_t{0}, [&](Field field, std::int64_t value) {
    out << " " << traits(field).name << "=" << value;
  });
  for (const Buffer& b : e.buffers)
    out << " buffer(" << static_cast<int>(b.access) << "," << b.address << "," << b.count << ","
        << b.type.value << ")";
  for (const RequestId id : e.requests) out << " request(" << id.value << ")";
  for (const std::int64_t number : e.numbers) out << " number(" << number << ")";
  for (const Completion& c : e.completions)
    out << " done(" << c.index << "," << c.from.value << "," << c.tag << "," << c.bytes << ","
        << c.cancelled << ")";
  return out.str();
}

struct ReadBack {
  std::string error;  // the trace cannot be opened
  std::string damage;
  RankEnd end;
  Definitions definitions;
  std::vector<Event> events;
};

inline ReadBack read_back(const std::string& directory) {
  ReadBack result;
  auto trace = RankTrace::open(directory, kRank);
  if (!trace) {
    result.error = trace.error().message;
    return result;
  }
  const Event* next = nullptr;
  while ((*trace)->next(next)) result.events.push_back(*next);
  result.damage = (*trace)->damage();
  result.end = (*trace)->end();
  result.definitions = (*trace)->definitions();
  return result;
}

inline ::testing::AssertionResult same_events(const std::vector<Event>& read,
                                              const std::vector<Event>& written) {
  for (std::size_t i = 0; i < read.size() && i < written.size(); ++i)
    if (describe_event(read[i]) != describe_event(written[i]))
      return ::testing::AssertionFailure() << "event " << i << " is\n  " << describe_event(read[i])
                                           << "\nand should be\n  " << describe_event(written[i]);
  if (read.size() != written.size())
    return ::testing::AssertionFailure() << read.size() << " events instead of " << written.size();
  return ::testing::AssertionSuccess();
}

// Runs `body` in a child; returns its wait status.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

}  // namespace photofinish::testing
