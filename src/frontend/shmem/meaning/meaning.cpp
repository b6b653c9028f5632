#include "frontend/shmem/meaning/meaning.h"

namespace photofinish {
namespace shmem_meaning {

void ShmemMeaning::add(const Event& event, const Times& times) {
  effects_.enter(event, times);
  objects_.follow_definitions();
  if (!event.returned) return unreturned(event);
  if (effects_.program(event) || event.result != 0) return;
  const Action action = traits(event.call).action;
  switch (action) {
    case Action::Init:
      return start(event);
    case Action::Put:
    case Action::Get:
    case Action::PutSignal:
    case Action::Accumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
      return operation(event, action);
    case Action::WaitUntil:
      return wait_until(event);
    case Action::Quiet:
      return complete(event, action);
    case Action::Order:
      ++objects_.context_of(event).delivery.stage;
      return;
    case Action::ContextDestroy:
      complete(event, action);
      return objects_.destroy(event);
    case Action::Barrier:
    case Action::Synchronize:
    case Action::Bcast:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::Allreduce:
      return collective(event, action);
    case Action::Finalize:
      complete(event, action);
      return synchronize_all(event);
    case Action::LockAcquire:
    case Action::LockRelease:
      return lock(event, action);
    case Action::SymmetricAllocate:
    case Action::SymmetricFree:
      return allocate(event, action);
    case Action::WinSharedQuery:
      return objects_.add_segments(event);
    default:
      return;
  }
}

// Words that the call waits for, and work arrays, are there for others to update.
void ShmemMeaning::unreturned(const Event& event) {
  const Action action = traits(event.call).action;
  if (action == Action::WaitUntil) return;
  if (concern(event) == Concern::Messages) report_unreturned(event, action);
  Event data = event;
  std::erase_if(data.buffers,
                [](const Buffer& buffer) { return buffer.access == BufferUse::ReadWrite; });
  effects_.unreturned(data);
}

// --- messages

// Calls that order all PEs of a team also order their MPI messages. Waits and locks are not
// followed.
Meaning::Concern ShmemMeaning::concern(const Event& event) const {
  switch (traits(event.call).action) {
    case Action::Init:
    case Action::Finalize:
    case Action::Barrier:
    case Action::Synchronize:
    case Action::Bcast:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::Allreduce:
    case Action::SymmetricAllocate:
    case Action::SymmetricFree:
      return Concern::Messages;
    default:
      return Concern::Nothing;
  }
}

// A wait for one word, or for all words, returns nothing.
bool ShmemMeaning::depends_on_others(const Event& event) const {
  switch (traits(event.call).action) {
    case Action::Accumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
    case Action::LockAcquire:
      return true;
    case Action::WaitUntil:
      return event.call != ShmemCall::shmem_wait_until &&
             event.call != ShmemCall::shmem_wait_until_all;
    default:
      return false;
  }
}

// A program that called MPI_Init itself may send messages after shmem_finalize.
Meaning::Ending ShmemMeaning::ending(const Event& event) const {
  return traits(event.call).action == Action::Finalize ? Ending::Maybe : Ending::No;
}

}  // namespace shmem_meaning

std::unique_ptr<Meaning> shmem_meaning_of(Timeline& effects) {
  return std::make_unique<shmem_meaning::ShmemMeaning>(effects);
}

}  // namespace photofinish
