#include "simulator.h"

#include "frontend/mpi/table/mpi_call.h"
#include "simulator_state.h"

namespace photofinish::testing {
namespace {

constexpr std::size_t kMostEvents = 120;

// Splits a number into bits.
class Bits {
 public:
  explicit Bits(std::uint32_t bits) : rest_(bits * 0x9e3779b97f4a7c15u) {}
  std::uint32_t below(std::uint32_t limit) {
    rest_ = rest_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(rest_ >> 33) % limit;
  }
  bool chance(std::uint32_t in) { return below(in) == 0; }

 private:
  std::uint64_t rest_;
};

}  // namespace

Simulated simulate(const Program& program) { return Simulator(program).run(); }

Simulator::Simulator(const Program& program) : program_(program), script_(program.ranks) {
  memory_.resize(static_cast<std::size_t>(program.ranks));
}

Simulated Simulator::run() {
  set_up();
  for (const Step& step : program_.steps) {
    if (events() > kMostEvents) break;
    take_by_anybody(step);
  }
  finish();
  Simulated made{std::move(script_.execution()), {}};
  for (const Mailbox::Message& message : mail_.messages)
    if (message.taken_by) made.matched.insert({message.send, *message.taken_by});
  return made;
}

std::size_t Simulator::events() const {
  std::size_t all = 0;
  for (const Execution::Rank& rank : const_cast<Script&>(script_).execution().ranks)
    all += rank.events.size();
  return all;
}

void Simulator::set_up() {
  Bits bits(program_.shape);
  const Focus focus = program_.focus;
  std::vector<int> all, some;
  for (int rank = 0; rank < ranks(); ++rank) all.push_back(rank);
  for (int rank = ranks() - 1; rank >= 0; --rank)
    if (!bits.chance(3)) some.push_back(rank);
  if (some.size() < 2) some = {1, 0};
  if (bits.chance(2)) std::reverse(some.begin(), some.end());
  comms_ = {{kWorld, false, {}, {}},
            {script_.comm(some), false, {}, {}},
            {script_.ring(all), true, {}, {}}};
  if (bits.chance(4))
    for (int rank = 0; rank < ranks(); ++rank)
      script_.comm_create(rank, MpiCall::MPI_Comm_split, kWorld, comms_[1].ref);

  script_.execution().options.strict_accumulate_ops = bits.chance(4);
  const char* const ops = bits.chance(6) ? "same_op" : bits.chance(4) ? "same_op_no_op" : "";
  const char* const ordering = bits.chance(6) ? "none" : bits.chance(4) ? "rar,raw,war,waw" : "";
  const bool plain = focus == Focus::Atomics || focus == Focus::Messages ||
                     focus == Focus::SplitPhase || focus == Focus::Buffers;
  for (int i = 0; i < program_.windows; ++i) {
    WinShape shape{.comm = bits.chance(plain ? 8 : 3) ? comms_[1].ref : kWorld,
                   .accumulate_ops = ops,
                   .accumulate_ordering = ordering,
                   .recorded = false};
    const std::uint32_t flavour = bits.below(4);
    shape.flavour = flavour == 0   ? WinFlavour::Create
                    : flavour == 1 ? WinFlavour::Dynamic
                                   : WinFlavour::Allocate;
    const std::int64_t units[] = {1, 4, 8};
    shape.unit = units[bits.below(3)];
    if (bits.chance(4))
      for (int rank = 0; rank < ranks(); ++rank) shape.units.push_back(units[bits.below(3)]);
    shape.base = kMemory + kSlot * (bits.chance(2) ? 0 : bits.below(3));
    if (bits.chance(8)) shape.stagger = kSlot;
    shape.size = kMemory + kMemorySize - shape.base;
    shape.unified = shape.flavour == WinFlavour::Dynamic || !bits.chance(plain ? 12 : 5);

    Window window{.ref = script_.window(shape), .comm = shape.comm};
    const std::uint32_t any = bits.below(3);
    window.mode = focus == Focus::Fences   ? Mode::Fence
                  : focus == Focus::Epochs ? Mode::Epochs
                                           : Mode::Passive;
    if (focus == Focus::Everything)
      window.mode = any == 0 ? Mode::Fence : any == 1 ? Mode::Epochs : Mode::Passive;
    if (focus == Focus::Datatypes && any == 0) window.mode = Mode::Fence;
    const bool early = !bits.chance(5) || plain;
    const bool locked = window.mode == Mode::Passive && focus != Focus::Locks && !bits.chance(8);
    windows_.push_back(window);
    if (!early) continue;
    for (const int rank : script_.members(shape.comm)) {
      script_.win_create(rank, window.ref);
      if (shape.flavour == WinFlavour::Dynamic)
        script_.win_attach(rank, window.ref, kMemory, static_cast<std::int64_t>(kMemorySize));
    }
    windows_.back().made = true;
    if (locked)
      for (const int rank : script_.members(shape.comm)) lock_all(windows_.back(), rank, 0);
  }
}

// The step is made by the named rank in the named window, or by the next ones that can.
void Simulator::take_by_anybody(Step step) {
  const std::size_t before = events();
  for (int rank = 0; rank < ranks(); ++rank, ++step.rank)
    for (std::size_t window = 0; window < windows_.size(); ++window, ++step.a) {
      take(step);
      if (events() != before || step.what == Do::Deliver || step.what == Do::Progress) return;
    }
}

void Simulator::take(const Step& step) {
  switch (step.what) {
    case Do::Load:
    case Do::Store:
      return touch_memory(step);
    case Do::OneSided:
      return one_sided(step);
    case Do::Fence:
      return fence(step);
    case Do::Post:
      return post(step);
    case Do::StartEpoch:
      return start_epoch(step);
    case Do::CompleteEpoch:
      return complete_epoch(step);
    case Do::WaitEpoch:
      return wait_epoch(step);
    case Do::Lock:
    case Do::LockAll:
      return lock(step);
    case Do::Unlock:
      return unlock(step);
    case Do::Flush:
    case Do::WinSync:
      return flush(step);
    case Do::SwitchMode:
      return switch_mode(step);
    case Do::WinLife:
      return win_life(step);
    case Do::Send:
      return send(step);
    case Do::Receive:
      return receive(step);
    case Do::PostReceive:
      return post_receive(step);
    case Do::Rendezvous:
      return rendezvous(step);
    case Do::Exchange:
      return exchange(step);
    case Do::Probe:
      return probe(step);
    case Do::MatchedProbe:
      return matched_probe(step);
    case Do::Prepare:
      return prepare(step);
    case Do::Start:
      return start(step);
    case Do::Deliver:
      return deliver(step);
    case Do::Wait:
      return wait(step);
    case Do::Test:
      return test(step);
    case Do::WaitAll:
      return wait_all(step);
    case Do::WaitSome:
      return wait_some(step);
    case Do::GetStatus:
      return get_status(step);
    case Do::FreeRequest:
      return free_request(step);
    case Do::Collective:
      return collective(step);
    case Do::Join:
      return join_step(step);
    case Do::MakeComm:
      return make_comm(step);
    case Do::Flag:
      return flag(step);
    case Do::Ticket:
      return ticket(step);
    case Do::SpinLock:
      return spin_lock(step);
    case Do::QueueLock:
      return queue_lock(step);
    case Do::AnyAtomic:
      return any_atomic(step);
    case Do::Progress:
      return progress(step);
    case Do::kCount:
      return;
  }
}

// Matched receives are always completed: otherwise their match would be unknown. In some executions
// everything else remains open, as in a program that was stopped.
void Simulator::finish() {
  complete_receives();
  Bits bits(program_.shape + 1);
  if (bits.chance(4)) {
    const int rank = static_cast<int>(bits.below(static_cast<std::uint32_t>(ranks())));
    if (bits.chance(2))
      script_.never_returns(
          script_.receive(rank, MpiCall::MPI_Recv, kAnySource.value, 9, pick_buffer(0, 8)));
    return;
  }
  for (Window& window : windows_)
    if (window.live())
      for (int rank = 0; rank < ranks(); ++rank) unlock_everything(window, rank);
  for (Window& window : windows_) {
    if (!window.live() || window.mode != Mode::Fence) continue;
    if (operations_open(index_of(window)))
      fence_together(window, kNoSucceed);
    else
      catch_up(window);
  }
  for (int comm = 0; comm < 3; ++comm) catch_up(comm);
  if (bits.chance(3)) barrier(kWorld);
  if (bits.chance(8))
    for (int rank = 0; rank < ranks(); ++rank) script_.finalize(rank);
}

// --- memory

// Most of the time a rank accesses its own slot.
std::uint64_t Simulator::pick_address(int rank, std::uint8_t c) const {
  if (c % 8 < 4) return slot_address(static_cast<std::uint64_t>(rank));
  const std::uint64_t shift = program_.focus == Focus::Datatypes ? 2u * (c >> 6)
                              : c >= 0xe0                        ? 4
                                                                 : 0;
  return slot_address((c / 8) % kSlots) + shift;
}

Data Simulator::pick_buffer(std::uint8_t d, std::int64_t bytes) {
  const bool of_its_own = program_.focus == Focus::Buffers ? d % 8 == 0 : d % 8 != 0;
  if (of_its_own || bytes > 32) return {script_.fresh(bytes), bytes, kPlainBytes};
  if (d / 8 % 8 == 7) return {slot_address(d / 64), bytes, kPlainBytes};
  return {kBuffers + 4u * (d / 8 % 8), bytes, kPlainBytes};
}

void Simulator::touch_memory(const Step& step) {
  const int rank = below(ranks(), step.rank);
  const std::int64_t sizes[] = {8, 1, 4, 8};
  const std::int64_t bytes = sizes[step.b % 4];
  std::uint64_t address = pick_address(rank, step.c);
  const bool in_buffers = program_.focus == Focus::Buffers ? step.d % 4 != 0 : step.d % 8 == 0;
  if (in_buffers)
    address = kBuffers + 4u * (step.c % 8);
  else if (step.d % 64 == 1)
    address = word_address(step.c % kWords);
  if (step.what == Do::Load) {
    script_.load(rank, address, bytes);
  } else {
    script_.store(rank, address, bytes);
    scribble(rank, address, bytes, events());
  }
}

}  // namespace photofinish::testing
