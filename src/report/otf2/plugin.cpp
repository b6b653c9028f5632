// The entry point of the plugin: converts the traces of a run, rank by rank, into an archive. Built
// only if OTF2 is available.
#include "report/otf2/plugin.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>

#include "report/otf2/rank_records.h"
#include "trace/common_time.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

// Suppresses OTF2's own error output.
OTF2_ErrorCode say_nothing(void*, const char*, uint64_t, const char*, OTF2_ErrorCode code,
                           const char*, va_list) {
  return code;
}

Result<bool> write(const Otf2Request& request) {
  const auto ranks = recorded_ranks(request.run);
  if (!ranks) return ranks.error();
  const CommonTime time = common_time(request.run, *ranks);
  int world_size = 1;
  for (const WorldRank rank : *ranks) {
    world_size = std::max(world_size, rank.value + 1);
    if (const auto trace = RankTrace::open(request.run, rank))
      world_size = std::max(world_size, (*trace)->world_size());
  }
  // OTF2 creates its files itself; only the user may read them, as all other files
  // (base/private_file.h).
  const mode_t before = umask(077);
  struct Restore {
    mode_t mask;
    ~Restore() { umask(mask); }
  } restore{before};
  Otf2Archive archive(world_size);
  if (const auto opened = archive.open(request.folder, request.creator); !opened) return opened;
  for (std::size_t i = 0; i < request.category_count; ++i)
    archive.define_mark(static_cast<OTF2_MarkerRef>(i), request.categories[i]);

  std::uint64_t latest = 0;
  const Otf2Mark* mark = request.marks;
  const Otf2Mark* const last = request.marks + request.mark_count;
  for (const auto& [rank, rank_time] : time.ranks) {
    const auto trace = RankTrace::open(request.run, rank);
    if (!trace) continue;
    archive.host(rank, (*trace)->definitions().rank.host);
    Otf2RankRecords records(rank, (*trace)->definitions(), rank_time, archive);
    while (mark != last && mark->rank < rank.value) ++mark;
    const Event* event = nullptr;
    for (std::uint64_t index = 0; (*trace)->next(event); ++index) {
      const std::uint64_t entered = records.add(*event);
      for (; mark != last && mark->rank == rank.value && mark->event <= index; ++mark)
        if (mark->event == index)
          archive.mark(entered, rank, event->task, mark->category, mark->text);
    }
    latest = std::max(latest, records.end());
  }
  return archive.finish(0, latest, time.since_1970);
}

}  // namespace
}  // namespace photofinish

extern "C" __attribute__((visibility("default"))) bool photofinish_write_otf2_1(
    photofinish::Otf2Request* request) {
  OTF2_Error_RegisterCallback(photofinish::say_nothing, nullptr);
  const auto written = photofinish::write(*request);
  if (!written) {
    std::strncpy(request->trouble, written.error().message.c_str(), sizeof request->trouble - 1);
    request->trouble[sizeof request->trouble - 1] = '\0';
  }
  return static_cast<bool>(written);
}
