// Executions of coarray programs: the events that the images would have recorded, and the races by
// definition, to compare the analysis with.
//
// The calls of a World are made in one order, that of the execution, with the values that atomic
// integers have then. At the same time it builds a graph that states what each call orders, from
// docs/internals/coarrays.md alone:
//
//   every call          start → return → start of the image's next call
//   access              from start to return
//   atomic              start → done → return; done of an update → return of a read of its value
//   sync all            all calls → all returns; in a team, those of its images
//   sync images         call → return of each image that it names, and that names it
//   lock                unlock call → return of the next lock
//   event               post call → return of each wait that saw its unit
//   co_broadcast        call of the source → all returns
//   co_sum              all calls → all returns, or the return of the image with the result
//
// Two conflicting accesses race unless the end of one reaches the begin of the other. The twin has
// no timestamps, no sync points, no keys and no reconstruction of values.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/access.h"
#include "model/definitions.h"
#include "model/event.h"

namespace photofinish::caf_testing {

inline constexpr std::uint64_t kBytes = 4096;

struct Side {
  int image = 0;  // counted from 0
  std::uint32_t event = 0;
  AccessKind kind{};
  auto operator<=>(const Side&) const = default;
};
struct Race {
  int owner = 0;
  Side one, other;
  auto operator<=>(const Race&) const = default;
};
std::string text(const std::set<Race>& races);

class World {
 public:
  explicit World(int images);
  int size() const { return static_cast<int>(images_.size()); }

  // --- accesses
  void get(int image, int owner, std::uint64_t offset, std::int64_t bytes = 8);
  void put(int image, int owner, std::uint64_t offset, std::int64_t bytes = 8);
  void sendget(int image, int to, std::uint64_t to_offset, int from, std::uint64_t from_offset);
  void load(int image, std::uint64_t offset);
  void store(int image, std::uint64_t offset);

  // --- atomics
  void atomic_ref(int image, int owner, std::uint64_t offset);
  void atomic_define(int image, int owner, std::uint64_t offset, std::uint64_t value);
  void atomic_fetch_add(int image, int owner, std::uint64_t offset, std::uint64_t value);

  // --- synchronization
  void sync_all();
  void sync_team();  // images 0 and 1 are a team
  // Each image with the images that it names; those of them that are listed make the call now.
  void sync_images(const std::map<int, std::set<int>>& named);
  void sync_memory(int image);
  void lock(int image, std::uint64_t lock);
  void unlock(int image, std::uint64_t lock);
  int holder(std::uint64_t lock) const;
  // On image 0.
  void post(int image, std::uint64_t event);
  bool can_wait(std::uint64_t event, std::int64_t until) const;
  void wait(std::uint64_t event, std::int64_t until);
  void broadcast(int source, std::uint64_t offset);
  void sum(int result, std::uint64_t offset);  // negative: all images have it
  void finalize();
  // The image's last call does not return, and others need not have made theirs.
  void hang(int image) { at(image).events.back().returned = false; }

  std::set<Race> races() const;                              // by definition
  std::set<Race> found(std::size_t period = 1 << 18) const;  // by the analysis
  std::string text() const;                                  // the calls

 private:
  using Node = std::size_t;
  struct Image {
    Definitions definitions;
    std::vector<Event> events;
    Node next = 0;  // where its next call starts
    std::int64_t atomics = 0;
  };
  struct Call_ {
    int image = 0;
    Event* event = nullptr;
    Node start = 0, end = 0;
  };
  struct TwinAccess {
    int image = 0, owner = 0;
    AccessKind kind{};
    bool reads_only = false;
    std::uint64_t from = 0, to = 0;
    Node begin = 0, end = 0;
    std::uint32_t event = 0;
  };
  struct Word {
    std::uint64_t value = 0;
    std::vector<Node> shows;
  };
  struct LockState {
    int holder = -1;
    std::int64_t turns = 0;
    std::vector<Node> released;
  };
  struct Units {
    std::int64_t taken = 0;
    std::vector<Node> posts;
  };

  Node node();
  void edge(Node from, Node to) { next_[from].push_back(to); }
  Image& at(int image) { return images_[static_cast<std::size_t>(image)]; }
  Call_ call(int image, Call what, CommId team = {});
  void advance() { clock_ += 100; }
  void access(const Call_& call, int owner, AccessKind kind, std::uint64_t address,
              std::int64_t bytes, Node begin, Node end, bool reads_only = false);
  void target(const Call_& call, int owner, BufferUse use, std::uint64_t offset,
              std::int64_t bytes);
  void own(const Call_& call, BufferUse use, std::uint64_t offset);
  void coindexed(int image, Call what, int owner, std::uint64_t offset, std::int64_t bytes,
                 bool writes);
  void atomic(int image, Call what, int owner, std::uint64_t offset, bool reads_only, bool fetches,
              std::uint64_t operand);
  void variable(const Call_& call, std::uint64_t index, std::int64_t value);
  void together(Call what, const std::vector<int>& images, CommId team);

  std::vector<Image> images_;
  std::vector<int> all_;
  std::vector<std::vector<Node>> next_;
  std::vector<TwinAccess> accesses_;
  std::map<std::pair<int, std::uint64_t>, Word> words_;
  std::map<std::uint64_t, LockState> locks_;
  std::map<std::uint64_t, Units> units_;
  std::uint64_t clock_ = 1000;
};

}  // namespace photofinish::caf_testing
