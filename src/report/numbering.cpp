#include "report/numbering.h"

#include <fmt/format.h>

#include <set>

#include "report/message_text.h"
#include "report/upc_words.h"

namespace photofinish {
namespace {

// A compiler may turn one access into several instructions (a vectorized loop and its remainder).
// For the reader that is one access site.
std::vector<Finding> merge_by_where(std::vector<Finding> findings, RunNotes& notes) {
  for (Finding& finding : findings) finding = as_read(std::move(finding), notes);
  return merge_findings(std::move(findings));
}

// Removes races that the program declares intended, and summarizes them in one line: their number
// and the reasons.
class Intended {
 public:
  explicit Intended(RunNotes& notes) : notes_(notes) {}

  template <class AnyFinding>
  void take_from(std::vector<AnyFinding>& findings) {
    std::erase_if(findings, [&](const AnyFinding& finding) {
      if (!is_intended(finding)) return false;
      add(finding);
      return true;
    });
  }
  std::string line() const {
    if (count_ == 0) return "";
    return fmt::format("{} declared intended: {}",
                       count_ == 1 ? "1 race was" : fmt::format("{} races were", count_),
                       fmt::join(reasons_, "; "));
  }

 private:
  void add(const Finding& finding) {
    const FindingSide& side = finding.sides[is_intended(finding.sides[0].site_key) ? 0 : 1];
    add(notes_.scopes(side.rank, side.site, side.site_key));
  }
  void add(const MessageFinding& finding) {
    add(notes_.scopes(finding.receive.rank, finding.receive.site, finding.receive.site_key));
  }
  void add(const ScopeNotes& notes) {
    ++count_;
    reasons_.insert(fmt::format("\"{}\"{}{}", notes.why, notes.declared_at.empty() ? "" : " at ",
                                notes.declared_at));
  }

  RunNotes& notes_;
  std::size_t count_ = 0;
  std::set<std::string> reasons_;
};

}  // namespace

Finding as_read(Finding finding, RunNotes& notes) {
  finding = as_accesses_of_upc(std::move(finding), notes);
  for (FindingSide& side : finding.sides)
    side.site_key = notes.key_as_read(side.rank, side.site, side.site_key);
  return finding;
}

NumberedFindings number_findings(RunFindings run, RunNotes& notes) {
  NumberedFindings numbered{.in_memory = merge_by_where(std::move(run.findings), notes),
                            .all_messages = run.messages.value_or(MessageFindings{})};
  numbered.all_messages.races = merge_by_where(std::move(numbered.all_messages.races), notes);
  numbered.messages = numbered.all_messages.races;
  numbered.races_with_intended = numbered.in_memory.size();
  Intended intended(notes);
  intended.take_from(numbered.in_memory);
  intended.take_from(numbered.messages);
  numbered.intended = intended.line();
  return numbered;
}

}  // namespace photofinish
