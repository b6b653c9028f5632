// What we need of OMPT, the tools interface of OpenMP runtimes, as OpenMP 5.0 has it. An interface
// between binaries: these numbers do not change.
#pragma once

#include <cstdint>

namespace photofinish::ompt {

union Data {
  std::uint64_t value;
  void* pointer;
};

enum Callback {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kMutexReleased = 17,
  kDependences = 18,
  kWork = 20,
  kSyncRegion = 23,
  kMutexAcquire = 26,
  kMutexAcquired = 27,
  kNestLock = 28,
  kFlush = 29,
  kDispatch = 32
};

enum Scope { kBegin = 1, kEnd = 2 };

enum SyncRegion { kTaskWait = 5, kTaskGroup = 6, kReduction = 7, kBarrierImplicitParallel = 9 };

enum DispatchKind { kSection = 2 };

enum MutexKind { kOrdered = 7 };

enum TaskFlag {
  kInitialTask = 1,
  kImplicitTaskFlag = 2,
  kExplicitTask = 4,
  kTargetTask = 8,
  kUndeferred = 0x08000000
};
enum TaskStatus {
  kComplete = 1,
  kCancel = 3,
  kDetach = 4,
  kEarlyFulfill = 5,
  kLateFulfill = 6,
  kTaskWaitComplete = 8
};

enum DependenceType {
  kIn = 1,
  kOut = 2,
  kInOut = 3,
  kMutexInOutSet = 4,
  kSource = 5,
  kSink = 6,
  kInOutSet = 7,
  kOutAllMemory = 34,
  kInOutAllMemory = 35
};
struct Dependence {
  Data variable;
  int type;
};

struct Frame {
  Data exit, enter;
  int exit_flags, enter_flags;
};

using AnyFunction = void (*)();
using GetTaskInfo = int (*)(int ancestor, int* flags, Data** task, Frame** frame, Data** parallel,
                            int* thread);
using Lookup = AnyFunction (*)(const char* name);
using SetCallback = int (*)(int which, AnyFunction callback);

struct StartToolResult {
  int (*initialize)(Lookup lookup, int device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};

}  // namespace photofinish::ompt
