#include "frontend/front_ends.h"

#include "frontend/caf/meaning/meaning.h"
#include "frontend/mpi/meaning/meaning.h"
#include "frontend/shmem/meaning/meaning.h"
#include "frontend/upc/meaning/meaning.h"

namespace photofinish {
namespace {

// Passes each event to the front end of its call, over one Timeline. Events of the program itself
// mean the same in all of them.
class AllFrontEnds final : public Meaning {
 public:
  explicit AllFrontEnds(Timeline& effects)
      : Meaning(effects), mpi_(effects), shmem_(effects), upc_(effects), caf_(effects) {
    effects.attach(this);
  }

  void add(const Event& event, const Times& times) override { of(event).add(event, times); }

  // Only MPI has requests.
  void each_pending(const std::function<void(Access&)>& visit) override {
    mpi_.each_pending(visit);
  }
  bool is_idle() const override { return mpi_.is_idle(); }
  std::size_t outstanding() const override { return mpi_.outstanding(); }
  std::size_t memory_bytes() const override { return mpi_.memory_bytes(); }
  void guess_edges() override { mpi_.guess_edges(); }
  Concern concern(const Event& event) const override { return of(event).concern(event); }
  Ending ending(const Event& event) const override { return of(event).ending(event); }
  void note(const Event& event) override { of(event).note(event); }
  void add_notes(MessageFindings& findings) const override { mpi_.add_notes(findings); }
  bool depends_on_others(const Event& event) const override {
    return of(event).depends_on_others(event);
  }
  void end_messages() override { mpi_.end_messages(); }

 private:
  Meaning& of(const Event& event) {
    if (is_shmem(event.call)) return shmem_;
    if (is_upc(event.call)) return upc_;
    if (is_caf(event.call)) return caf_;
    return mpi_;
  }
  const Meaning& of(const Event& event) const { return const_cast<AllFrontEnds*>(this)->of(event); }

  mpi_meaning::MpiMeaning mpi_;
  shmem_meaning::ShmemMeaning shmem_;
  upc_meaning::UpcMeaning upc_;
  caf_meaning::CafMeaning caf_;
};

}  // namespace

std::unique_ptr<Meaning> meaning_of(Timeline& effects) {
  return std::make_unique<AllFrontEnds>(effects);
}

}  // namespace photofinish
