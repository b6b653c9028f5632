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
  // Collective over all images, when the library has started MPI: what the end of the program
  // needs, and form team. All images make these calls, even those on which the tool has failed.
  static void prepare() noexcept;
  // Once the recording has begun.
  void start();

  WorldRank self() const { return self_; }
  Team& initial() { return *initial_; }
  Team& current() { return *entered_.back(); }
  // By the handle of the library; null: none of its own.
  Team* find(const void* handle);

  // Collective over the current team: `number` is that of the team that this image will join. Then
  // the new team, once it has a handle.
  static void gather_numbers(int number) noexcept;
  void formed(const void* handle, int number);
  void enter(Team& team) { entered_.push_back(&team); }
  void leave() {
    if (entered_.size() > 1) entered_.pop_back();
  }

  // The communicator of the current team, which belongs to the library. All images note what they
  // do with teams, even those on which the tool has failed.
  static MPI_Comm communicator();
  static void note_formed(const void* handle) noexcept;
  static void note_entered(const void* handle) noexcept;
  static void note_left() noexcept;
  // Whether all images are at the end of the program: waits for them. The wait has a limit for
  // `stop`, and once some image has called expect_stopped().
  static bool meet_at_end(bool is_stop) noexcept;
  // This image may wait for others to stop (STAT_STOPPED_IMAGE).
  static void expect_stopped() noexcept;

 private:
  Images() = default;
  WorldRank self_;
  Team* initial_ = nullptr;
  std::vector<Team*> entered_;
  std::unordered_map<const void*, Team*> teams_;
};

}  // namespace photofinish::caf
