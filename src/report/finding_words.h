// Describes a finding in sentences: both accesses, why they are concurrent, and advice.
//
// Rule: a sentence states what the finding contains, and no more. It does not guess which order the
// program intended.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/finding.h"
#include "report/run_notes.h"

namespace photofinish {

// "one-sided race", or "buffer race" for memory outside of windows.
std::string_view race_name(const Finding& finding);

class FindingWords {
 public:
  FindingWords(const Finding& finding, RunNotes& notes) : finding_(finding), notes_(notes) {}

  std::string access(int side) const;  // "put", "load"; for a buffer the name of the call
  std::string window() const;          // its name; empty if it has none
  std::string headline(
      int side) const;  // "put of 8 bytes by rank 2 into rank 0, window "halo" +0x40..0x48"
  std::string epoch(int side) const;  // "epoch opened by …, open until …"; empty if the access
                                      // completes when its call returns
  std::string memory() const;         // "window "halo" created by …"; empty if nothing is known
  std::string why() const;            // "The accesses are concurrent: …"
  std::string advice() const;         // "Try: …"
  // What the programming model calls a rank.
  std::string_view process() const {
    return upc() ? "thread" : caf() ? "image" : openshmem() ? "PE" : "rank";
  }

 private:
  // The accesses are of two threads of one rank.
  bool names_threads() const {
    return finding_.sides[0].rank == finding_.sides[1].rank &&
           finding_.sides[0].task != finding_.sides[1].task;
  }
  const FindingSide& side(int index) const { return finding_.sides[index]; }
  // Whether OpenSHMEM makes one of the accesses, or has the memory.
  bool openshmem() const;
  bool upc() const;
  bool caf() const;
  bool in_shared_memory() const;  // of UPC
  std::string who(const FindingSide& side, bool names_thread) const;
  std::string whose(const FindingSide& side, bool names_thread = false) const;
  std::string owner() const;  // "rank 3"
  EpochKind epoch_kind(const FindingSide& side) const;
  // A put in a post/start epoch does not complete at its origin: it completes at the target.
  bool ends_at_target(const FindingSide& side) const {
    return epoch_kind(side) == EpochKind::Start && side.end == kNever;
  }
  std::string at(const FindingSide& side, SiteId site) const;
  std::string window_name() const;
  std::string bytes_in_window() const;
  std::string bytes_in_window(Uid win, std::int64_t offset) const;
  bool in_two_windows() const;  // over the same memory
  std::string window_of(const FindingSide& side) const;
  std::string allocated() const;  // "block of 4000 bytes allocated in main halo.c:12"
  std::string named() const;      // "`halo`, local of main", "variable `grid`"; may be empty
  std::string expression() const;
  bool is_lost(const FindingSide& side) const;
  bool is_freed(const FindingSide& s) const;
  // The local variable whose scope ends on this side while the other access is pending.
  std::optional<Variable> leaving(const FindingSide& side, const FindingSide& pending) const;
  std::string remote_completion(const FindingSide& a, const FindingSide& b) const;
  std::string completion(const FindingSide& side) const;
  std::string why_not_complete() const;
  std::string why_no_order() const;
  struct LockReason {
    std::string why, advice;
  };
  std::optional<LockReason> lock_reason() const;
  std::string completing_call(const FindingSide& side) const;
  std::string advice_not_complete() const;
  std::string advice_no_order() const;
  std::string advice_overlap() const;
  std::string advice_remote() const;
  bool in_lock_all(const FindingSide& side) const;

  const Finding& finding_;
  RunNotes& notes_;
};

}  // namespace photofinish
