#include "frontend/mpi/control.h"

#include <unistd.h>

#include "frontend/mpi/control_channel.h"
#include "frontend/mpi/real.h"
#include "runtime/failure.h"
#include "runtime/reach.h"
#include "runtime/recorder.h"
#include "steering/object_gate.h"
#include "steering/step.h"

namespace photofinish::mpi {
namespace {

// The ranks' own communicator. Any call on it progresses all of MPI, and what runs over MPI.
class MpiHost final : public Host {
 public:
  MpiHost() { REAL(PMPI_Query_thread)(&thread_level_); }
  bool has_comm() const { return comm_ != MPI_COMM_NULL; }
  // On all ranks.
  void duplicate_world() {
    if (REAL(PMPI_Comm_dup)(MPI_COMM_WORLD, &comm_) != MPI_SUCCESS) comm_ = MPI_COMM_NULL;
  }
  std::unique_ptr<MeetingChannel> open_channel(WorldRank rank, int size) {
    return std::make_unique<ControlChannel>(comm_, rank.value, size);
  }
  bool may_call() const override {
    return thread_level_ == MPI_THREAD_MULTIPLE ||
           (thread_level_ != MPI_THREAD_SERIALIZED &&
            task_number() == static_cast<std::uint64_t>(getpid()));
  }
  void read_definitions(const std::function<void(const Definitions&)>& read) const override {
    if (Recorder* const recorder = Recorder::last()) recorder->writer().read_known(read);
  }
  void progress() override {
    int flag = 0;
    REAL(PMPI_Iprobe)(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE);
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int thread_level_ = 0;
};

bool is_one_node(int world_size) {
  MPI_Comm node = MPI_COMM_NULL;
  int on_node = 0;
  if (REAL(PMPI_Comm_split_type)(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) !=
      MPI_SUCCESS)
    return false;
  REAL(PMPI_Comm_size)(node, &on_node);
  REAL(PMPI_Comm_free)(&node);
  return on_node == world_size;
}

}  // namespace

constinit std::atomic<Control*> Control::instance_{nullptr};

Control::Control(Steering& steering, const Definitions& known)
    : steering_(steering), schedule_(steering.schedule()), known_(known) {
  const WorldRank rank = steering.rank();
  for (const Schedule::HeldRank& held : schedule_.held)
    if (held.rank == rank && schedule_.scope != Scope::Off) matches_ = &held.matches;
  if (schedule_.kind == RaceKind::Message && schedule_.scope != Scope::Off &&
      !schedule_.sides.empty() && rank == schedule_.sides[0].rank) {
    matches_ = &schedule_.matches;
    steered_ = schedule_.steered;
  }
  int thread_level = MPI_THREAD_MULTIPLE;
  REAL(PMPI_Query_thread)(&thread_level);
  may_poll_ = thread_level != MPI_THREAD_MULTIPLE || schedule_.own_operation;
  steering.add_memory([this](std::int64_t address) { return find_place(address); });
}

void Control::start(WorldRank rank, int size, const std::string& directory,
                    const Definitions& known, bool recorded) {
  // All ranks make the same calls, even if one of them cannot be steered. Nothing is ever deleted:
  // the program's last threads may still be in it.
  static MpiHost host;
  Steering* steering = nullptr;
  Control* self = nullptr;
  guarded([&] {
    auto schedules = read_schedules(directory);
    if (!schedules) return complain_once(schedules.error().message);
    auto* const made = new Steering(std::move(*schedules), rank, size, recorded, host);
    self = new Control(*made, known);
    if (made->open_result(directory)) steering = made;
  });
  host.duplicate_world();
  const bool one_node = is_one_node(size);
  bool shares = false;
  if (steering != nullptr && one_node) guarded([&] { shares = steering->share_table(directory); });
  int usable[2] = {host.has_comm() && steering != nullptr ? 1 : 0, shares ? 1 : 0}, all[2];
  REAL(PMPI_Allreduce)(usable, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all[0] == 0)
    return rank == WorldRank(0)
               ? complain_once("a rank cannot write to the run directory: this run is not steered")
               : void();
  if (all[1] == 0) steering->open_channel(host.open_channel(rank, size));
  steering->begin();
  if (steering->schedule().explores && all[1] != 0)
    guarded([&] { ObjectGate::start(directory, *steering); });
  instance_ = self;
}

int Control::source(int given) const { return t_control.steered ? t_control.source : given; }
int Control::tag(int given) const {
  return t_control.steered && given == MPI_ANY_TAG ? t_control.tag : given;
}

void Control::before(Context& c) {
  t_control = {};
  steering_.enter();
  const auto& [name, action, when] = traits(c.call);
  if (matches_ != nullptr) {
    if (action == Action::Start)
      choose_for_starts(c);
    else
      choose_message(c);
  }
  if (action == Action::WinFree) close_second_window(c);
  if (schedule_.kind == RaceKind::Memory) {
    if (action == Action::RequestFree) free_later(c);
    steering_.precede(Effect(c));
    name_pollable(c, false);
    if (action == Action::RequestFree) deliver_before_free(c);
    if (const std::uint32_t sides = steering_.sides_at_call(c.call, c.event.site); sides != 0) {
      reach_call(c, sides);
      copy_buffer(c);
    }
    steering_.lift_if_settled();
  }
  if (action == Action::Finalize) steering_.close_channel();
  if (ObjectGate* gate = ObjectGate::get()) turns_.before(*gate, c);
  if (when == When::Blocks) steering_.begin_waiting();
}

bool Control::lets_pass(Call call, Action action) {
  if (matches_ != nullptr && takes_messages(action)) return false;
  return steering_.lets_pass(call);
}

void Control::after(Context& c) {
  const CallTraits& call = traits(c.call);
  if (call.action == Action::Finalize) {
    steering_.end();
    instance_ = nullptr;
  }
  if (call.when == When::Blocks && call.action != Action::Finalize) steering_.end_waiting();
  if (ObjectGate* gate = ObjectGate::get()) turns_.after(*gate, c);
  if (call.action == Action::WinCreate && steering_.is_of_memory()) gather_window(c);
  if (matches_ != nullptr) {
    if (call.when == When::Prepares) remember_persistent(c);
    check_message(c);
  }
  if (schedule_.kind == RaceKind::Message) return;
  name_pollable(c, true);
  if (t_control.copy != nullptr) keep_copy(c);
  if (!copies_.empty()) deliver_released();
  if (!deferred_requests_.empty()) free_deferred_requests(c);
  if (steering_.is_deferred() && !is_one_sided(call.action)) defer_request(c);
  steering_.leave(
      Effect(c), [&] { return complete_early(c); }, [&] { return pending_operation(c); });
  if (steering_.is_of_buffers() && call.when == When::Prepares) remember_prepared(c);
  if (c.win != nullptr) follow_locks(c);
}

}  // namespace photofinish::mpi
