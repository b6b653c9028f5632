// An operation that stays pending after its call, as a front end describes it to the steering.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace photofinish {

// What the front end has to know of an operation to tell which call completes it.
struct OperationScope {
  virtual ~OperationScope() = default;
};

// An operation of this rank at an access site that is issued or deferred, and not complete.
struct PendingOperation {
  std::uint32_t slot = 0;  // in the table
  // The access is over at local completion: it is to the origin's memory, or its operation returns
  // a result.
  bool over_locally = false;
  std::function<void()> later = nullptr;  // deferred: not made yet
  // The origin data of a deferred operation as it was at its call. Lives until the operation is
  // complete, because the library may read it until then. Without a copy, a deferred operation is
  // issued at local completion: its buffers belong to the program afterwards.
  std::shared_ptr<const void> copy = nullptr;
  std::shared_ptr<const OperationScope> scope = nullptr;
  // It is to go first and was not complete when its call returned: whether it is now. Asked after
  // later calls of its thread. Null: it cannot be asked.
  std::function<bool()> is_complete = nullptr;
  // Deferred: its effect alone comes later, so no call has to follow it.
  bool lets_calls_pass = false;
};

// What the call at hand means for the pending operations of its rank.
class CallEffect {
 public:
  virtual ~CallEffect() = default;
  // The call completes the operation at the target, or, if `locally`, at the origin.
  virtual bool completes(const PendingOperation& operation, bool locally) const = 0;
  // The call may not be made before the operation.
  virtual bool must_follow(const PendingOperation&) const { return false; }
  // The call waits for other ranks, which may wait for the operation.
  virtual bool may_wait_for(const PendingOperation&) const { return false; }
  // After the call: it has completed the operation.
  virtual bool has_completed(const PendingOperation& operation) const {
    return completes(operation, operation.over_locally);
  }
};

}  // namespace photofinish
