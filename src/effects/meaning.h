// What the calls of a programming model mean. A front end derives one class from Meaning, which
// reads the events of one rank and reports their effects to its Timeline (effects/effects.h).
// docs/internals/front-ends.md shows how to add one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "effects/effects.h"
#include "effects/timeline.h"
#include "model/event.h"
#include "model/message_finding.h"

namespace photofinish {

class Meaning {
 public:
  explicit Meaning(Timeline& effects) : effects_(effects) { effects.attach(this); }
  virtual ~Meaning() { effects_.attach(nullptr); }
  Meaning(const Meaning&) = delete;
  Meaning& operator=(const Meaning&) = delete;

  // Reports the effects of the rank's next event.
  virtual void add(const Event& event, const Times& times) = 0;

  // --- pending operations that the front end stores itself
  virtual void each_pending(const std::function<void(Access&)>&) {}
  virtual bool is_idle() const { return true; }           // it stores none
  virtual std::size_t outstanding() const { return 0; }   // number of operations
  virtual std::size_t memory_bytes() const { return 0; }  // approximate
  // The edges so far are about to be taken: adds guesses for those that depend on later events.
  virtual void guess_edges() {}

  // --- messages
  // Whether the message analysis needs the event, and for what.
  enum class Concern { Nothing, Messages, Locks };
  virtual Concern concern(const Event&) const { return Concern::Nothing; }
  // Whether the rank is in its last call, or may be: no message comes after it.
  enum class Ending { No, Maybe, Yes };
  virtual Ending ending(const Event&) const { return Ending::No; }
  // Notes whether the outcome of the call depends on timing, and which threads communicate.
  virtual void note(const Event&) {}
  virtual void add_notes(MessageFindings&) const {}
  // For an explored run: what the call returned depends on what other ranks did when, and no order
  // was recorded for it.
  virtual bool depends_on_others(const Event&) const { return false; }
  // No further events: completes receives without a wait, which took their messages, too.
  virtual void end_messages() {}

 protected:
  Timeline& effects_;
};

// Creates the meaning of the front end of a run.
using MakeMeaning = std::unique_ptr<Meaning> (*)(Timeline&);

}  // namespace photofinish
