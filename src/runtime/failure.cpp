#include "runtime/failure.h"

#include <atomic>
#include <cstdio>
#include <new>

#include "base/check.h"
#include "runtime/recorder.h"

namespace photofinish {
namespace {

constinit std::atomic<bool> g_failed{false};
constinit std::atomic<void (*)() noexcept> g_act{nullptr};

}  // namespace

bool has_failed() noexcept { return g_failed.load(std::memory_order_relaxed); }

void on_failure(void (*act)() noexcept) noexcept { g_act.store(act); }

void fail(IncompleteReason reason, const char* why) noexcept {
  if (g_failed.exchange(true)) return;
  Recorder::stop(reason, why);
  if (reason != IncompleteReason::OtherRank) {  // that rank has printed it
    char line[1100];
    std::snprintf(line, sizeof line, "%s; recording and analysis stop here, the program continues",
                  why);
    complain(line);
  }
  if (auto* const act = g_act.load()) act();
}

void fail(const std::exception& error) noexcept {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return fail(IncompleteReason::Memory, "the tool is out of memory");
  // The writer has printed the reason.
  if (dynamic_cast<const RecordingStopped*>(&error) != nullptr) {
    if (g_failed.exchange(true)) return;
    Recorder::stop(IncompleteReason::Disk, error.what());
    if (auto* const act = g_act.load()) act();
    return;
  }
  char why[900];
  const bool ours = dynamic_cast<const CheckFailed*>(&error) != nullptr;
  std::snprintf(why, sizeof why, ours ? "%s" : "internal error: %s; please report this",
                error.what());
  fail(IncompleteReason::Internal, why);
}

}  // namespace photofinish
