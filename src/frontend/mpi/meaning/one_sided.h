// One-sided operations and their epochs: when each accesses its buffers and its target.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>

#include "effects/timeline.h"
#include "frontend/mpi/meaning/comms.h"
#include "frontend/mpi/meaning/completion.h"
#include "frontend/mpi/meaning/state.h"
#include "frontend/mpi/meaning/steps.h"

namespace photofinish::mpi_meaning {

class OneSided {
 public:
  OneSided(Timeline& effects, MessageSteps& steps, Comms& comms, Requests& requests)
      : effects_(effects),
        steps_(steps),
        comms_(comms),
        requests_(requests),
        rank_(effects.rank()) {}

  void add(const Event& event, Action action);
  void create(const Event& event) { window_of(event); }
  void complete(const Request& request, const Event& event);  // an operation with a request
  void report_unreturned(const Event& event, Action action);
  void end_messages();

 private:
  Window& window_of(const Event& event);
  Epoch epoch_of(const Window& window, WorldRank target, SiteId& opened) const;
  ReduceOp op_of(const Event& event, Action action);
  Element element_of(TypeId type);
  void set_target(Pending& added, const Event& event, Action action, const Buffer& at_target);
  const std::vector<WorldRank>& group_of(const Event& event) const;

  void operation(const Event& event, Action action);
  void synchronize(const Event& event, Action action);
  void change_info(const Event& event);
  void attach(const Event& event, Action action);  // also detach
  void free(const Event& event);

  void fence(Window& window, const Event& event);
  void post(Window& window, const Event& event);
  void start(Window& window, const Event& event);
  void complete(Window& window, const Event& event);
  void wait(Window& window, const Event& event);
  void lock(Window& window, const Event& event, Action action);
  void unlock(Window& window, const Event& event, Action action);
  void flush(Window& window, const Event& event);
  // Completes the operations that the call completes (completion.h).
  void finish(Window& window, const Event& event);
  std::uint64_t fence_key(const Window& window) const;
  std::uint64_t post_key(const Window& window, WorldRank owner, WorldRank origin,
                         std::uint64_t index) const;
  std::uint64_t complete_key(const Window& window, WorldRank origin, WorldRank owner,
                             std::uint64_t index) const;

  Timeline& effects_;
  MessageSteps& steps_;
  Comms& comms_;
  Requests& requests_;
  const WorldRank rank_;
  std::unordered_map<WinId, std::unique_ptr<Window>> windows_;
  std::pair<WinId, Window*> last_window_{};  // cache of window_of()
  std::unordered_map<OpId, ReduceOp> ops_;
  std::pair<OpId, ReduceOp> last_op_{};
  std::unordered_map<TypeId, Element> elements_;
  std::pair<TypeId, Element> last_element_{};
};

}  // namespace photofinish::mpi_meaning
