#include "report/departure_text.h"

#include <fmt/format.h>

#include "record/watched_memory.h"
#include "report/event_text.h"
#include "report/site_text.h"
#include "trace/reader.h"

namespace photofinish {
namespace {

std::string end_words(const RankEnd& end) {
  switch (end.state) {
    case RankState::Signalled:
      return fmt::format("signal {} ended it", end.code);
    case RankState::Aborted:
      return fmt::format("MPI was aborted with code {}", end.code);
    case RankState::Exited:
      return fmt::format("it ended with code {}", end.code);
    default:
      return "it was killed";
  }
}

// "MPI_Send at solver.c:31 (to 3, tag 5)"
std::string question_text(const std::string& directory, WorldRank rank, const Inquiry& question) {
  if (question.what >= kOtherQuestions)
    return question.what == kLoadQuestion ? "a load from shared memory"
                                          : "a query of a communicator or a clock";
  std::string text(traits(static_cast<Call>(question.what)).name);
  const auto trace = RankTrace::open(directory, rank);
  if (trace) {
    Symbolizer symbolizer;
    if (const std::string place =
            SiteText((*trace)->definitions(), symbolizer).location(question.site);
        !place.empty())
      text += " at " + place;
  }
  std::string given;
  for (const auto& [field, value] : question.fields) {
    if (field >= kFieldCount) continue;
    const FieldTraits& row = traits(static_cast<Field>(field));
    given += fmt::format("{}{} {}", given.empty() ? "" : ", ", row.label, value);
  }
  return given.empty() ? text : text + " (" + given + ")";
}

}  // namespace

std::string departure_text(const std::string& run, const std::string& replay, WorldRank rank,
                           const Departure& departure) {
  const std::string asked = question_text(replay, rank, departure.asked);
  if (departure.expected.what == kDamagedQuestion)
    return fmt::format("the record of rank {} is damaged at {}", rank.value, asked);
  if (departure.expected.what == kLostOffer)
    return fmt::format(
        "rank {} waited for data from rank {} at {}, which never arrived: rank {} ended before it "
        "sent the data, or the disk is full",
        rank.value, departure.expected.site.value, asked, departure.expected.site.value);
  if (departure.expected.what == kNoQuestion) {
    const auto trace = RankTrace::open(run, rank);
    return fmt::format("the record of rank {} ends inside {}: {}", rank.value, asked,
                       trace ? end_words((*trace)->end()) : "");
  }
  return fmt::format("rank {} diverged from the record at call {}: recorded {}, replayed {}",
                     rank.value, departure.entry, question_text(run, rank, departure.expected),
                     asked);
}

}  // namespace photofinish
