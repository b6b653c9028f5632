// Formats an event as a line: the call, its arguments and results, its call site.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/event.h"
#include "report/site_text.h"
#include "symbols/symbolizer.h"
#include "trace/reader.h"

namespace photofinish {

// "0-3,7"
std::string rank_ranges(std::vector<WorldRank> ranks);
std::string rank_text(WorldRank rank);
// "{+0:8x4/64}": 8 bytes at offset 0, 4 times, with a stride of 64 bytes; "+64" for one contiguous
// block.
std::string map_text(const DataMap& map, std::int64_t count);
std::string end_text(const RankEnd& end);

// Returns another rank's definition of the same window; null if that rank has no trace.
using WindowOfRank = std::function<const WinDefinition*(WorldRank, Uid)>;

class EventText {
 public:
  EventText(const RankTrace& trace, Symbolizer& symbolizer, WindowOfRank window_of_rank);

  std::string line(const Event& event);  // without the call site
  std::string where(const Event& event) { return sites_.where(event.site); }
  std::vector<std::string> stack(const Event& event) { return sites_.stack(event.site); }
  std::vector<std::string> definitions();  // one line for each object

 private:
  std::string value(Field field, std::int64_t value);
  std::string buffer(const Event& event, const Buffer& buffer);
  std::string comm(CommId id);
  std::string win(WinId id);
  std::string type(TypeId id);
  std::string op(OpId id);
  std::string group(GroupId id);

  const Definitions& definitions_;
  SiteText sites_;
  WindowOfRank window_of_rank_;
};

}  // namespace photofinish
