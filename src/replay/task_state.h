// The state of one thread of a recorded or replayed rank.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/data_map.h"
#include "record/access_records.h"
#include "record/journal.h"
#include "record/turn_order.h"
#include "runtime/recorder.h"

namespace photofinish {

struct TaskState {
  Journal* journal = nullptr;
  ThreadName journal_of;     // the thread whose journal it is
  bool makes_calls = false;  // the thread has called the communication library
  Inquiry query;
  std::uint64_t steps = 0;  // steps so far (model/call.h)
  TypeId known_type;        // the type that known_map belongs to
  const DataMap* known_map = nullptr;
  std::vector<std::uint8_t> gathered;        // contents of a buffer that is not contiguous
  bool ending = false;                       // the journal ends inside the current call
  std::unique_ptr<AccessRecordLog> account;  // if the replay is for photofinish explain

  static TaskState& of(Task& task) {
    if (task.replay == nullptr) [[unlikely]]
      task.replay = std::make_shared<TaskState>();
    return *static_cast<TaskState*>(task.replay.get());
  }
};

}  // namespace photofinish
