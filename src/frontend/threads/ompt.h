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
  kSyncRegion = 23,
  kMutexAcquired = 27,
  kFlush = 29
};

enum Scope { kBegin = 1, kEnd = 2 };

enum SyncRegion { kTaskWait = 5, kTaskGroup = 6, kReduction = 7, kBarrierImplicitParallel = 9 };

enum TaskFlag { kInitialTask = 1, kImplicitTaskFlag = 2, kExplicitTask = 4 };
enum TaskStatus { kComplete = 1, kCancel = 3, kDetach = 4, kTaskWaitComplete = 8 };

enum DependenceType { kIn = 1, kOut = 2, kInOut = 3, kMutexInOutSet = 4, kInOutSet = 7 };
struct Dependence {
  Data variable;
  int type;
};

using AnyFunction = void (*)();
using Lookup = AnyFunction (*)(const char* name);
using SetCallback = int (*)(int which, AnyFunction callback);

struct StartToolResult {
  int (*initialize)(Lookup lookup, int device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};

}  // namespace photofinish::ompt
