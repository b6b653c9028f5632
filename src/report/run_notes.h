// What the traces of a run say about the places and windows that findings name. A rank's trace is opened when something of it is
// first asked for, read once for all findings, only as far as needed, and closed again: a run may have more ranks than a process
// may have files.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/finding.h"
#include "model/message_finding.h"
#include "symbols/symbolizer.h"

namespace photofinish {

struct SiteNotes {
  std::vector<std::string> stack;  // as SiteText has them
  std::string place;
  std::string location;
  std::optional<Call> call;  // what was called there; known for the calls that opened and closed epochs
};

struct WindowNotes {
  std::string name;
  bool by_address = false;  // MPI_Win_create_dynamic: its offsets are addresses
  std::optional<Call> created_by;
  std::string created_at;  // "setup solver.c:77"
};

class RunNotes {
 public:
  RunNotes(std::string directory, const std::vector<Finding>& findings, const MessageFindings& messages = {});

  // Empty ones for what is not known. They live as long as this does.
  const SiteNotes& site(WorldRank rank, SiteId site);
  const WindowNotes& window(WorldRank rank, Uid window);
  const std::string& communicator(WorldRank rank, Uid comm);  // its name
  // Why the rank's trace cannot be read, in one line; empty if it can.
  const std::string& trouble(WorldRank rank) { return notes(rank).trouble; }

 private:
  struct RankNotes {
    bool read = false;
    std::string trouble;
    // What is wanted, with empty notes until it is read.
    std::map<SiteId, SiteNotes> sites;
    std::map<Uid, WindowNotes> windows;
    std::map<Uid, std::string> comms;
    std::set<SiteId> callers;  // the sites whose call is wanted, too
  };
  RankNotes& notes(WorldRank rank);
  void want_caller(WorldRank rank, SiteId site);
  void read(WorldRank rank, RankNotes& notes);

  std::string directory_;
  Symbolizer symbolizer_;
  std::map<WorldRank, RankNotes> ranks_;
};

}  // namespace photofinish
