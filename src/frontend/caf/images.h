// Images and teams. Image i of the initial team is the rank i - 1; inside of a team, images are
// numbered anew.
//
// Invariant: all images of a team know its members in the same order, and give it the same number.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "frontend/mpi/real.h"
#include "model/ids.h"

namespace photofinish::caf {

struct Team {
  CommId set;
  std::uint64_t identity = 0;     // the same on all its images
  std::vector<WorldRank> images;  // by index - 1
  std::uint64_t formed = 0;       // teams that were formed of it
  std::uint64_t registered = 0;   // coarrays

  WorldRank image(int index) const {
    return index >= 1 && static_cast<std::size_t>(index) <= images.size()
               ? images[static_cast<std::size_t>(index) - 1]
               : kProcNull;
  }
};

class Images {
 public:
  static Images& get();
  // When the library has started MPI, and the recording has begun.
  void start();

  WorldRank self() const { return self_; }
  Team& initial() { return *initial_; }
  Team& current() { return *entered_.back(); }
  // By the handle of the library; null: none of its own.
  Team* find(const void* handle);

  // Collective over the current team: the members of the teams that form team makes, by number.
  struct Formed {
    std::uint64_t identity = 0;
    std::vector<WorldRank> images;
  };
  Formed form(int number);
  void formed(const void* handle, Formed team);
  void enter(Team& team) { entered_.push_back(&team); }
  void leave() {
    if (entered_.size() > 1) entered_.pop_back();
  }

  // The communicator of the current team, which belongs to the library.
  MPI_Comm communicator() const;
  // Waits until all images are at the end of the program; false after `seconds` (0: never).
  bool meet_at_end(double seconds);

 private:
  Images() = default;
  WorldRank self_;
  Team* initial_ = nullptr;
  std::vector<Team*> entered_;
  std::unordered_map<const void*, Team*> teams_;
  MPI_Comm end_ = MPI_COMM_NULL;  // for the end of the program
};

}  // namespace photofinish::caf
