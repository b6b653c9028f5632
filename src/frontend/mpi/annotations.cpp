#include "frontend/mpi/annotations.h"

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "frontend/mpi/interceptor.h"
#include "photofinish/runtime_abi.h"
#include "runtime/notes.h"

namespace photofinish::mpi {
namespace {

// Identifies a text by its content: the program may reuse the memory for another text.
TextId text_id(Recorder& recorder, const char* text) {
  static std::mutex mutex;
  static auto* const known = new std::unordered_map<std::string, TextId>;
  std::lock_guard lock(mutex);
  const auto [entry, fresh] = known->try_emplace(
      text != nullptr ? text : "", TextId(static_cast<std::uint32_t>(known->size() + 1)));
  if (fresh)
    recorder.writer().define(DefinitionKind::Text, TextDefinition{entry->second, entry->first});
  return entry->second;
}

void record_inside(Call call, Recorder& recorder, CallSite call_site, const char* text,
                   std::uint64_t key, std::uint64_t value) {
  Task* task = task_of(recorder);
  if (task == nullptr) return;
  Context c(*task, call);
  locate(c, call_site);
  c.event.result = 0;
  if (call == Call::happens_before || call == Call::happens_after) {
    c.event.fields.set(Field::key, static_cast<std::int64_t>(key));
    c.event.fields.set(Field::value, static_cast<std::int64_t>(value));
  } else if (call == Call::intended_begin || call == Call::region_begin) {
    c.event.fields.set(Field::text, text_id(recorder, text));
  }
  const std::uint64_t now = ticks();
  append_event(c, recorder, now, now);
}

void record(Call call, Recorder& recorder, CallSite call_site, const char* text, std::uint64_t key,
            std::uint64_t value) {
  Inside inside(call_site);
  guarded([&] { record_inside(call, recorder, call_site, text, key, value); });
}

void on_annotation(std::uint32_t what, const char* text, std::uint64_t key, std::uint64_t value) {
  const CallSite call_site = CALL_SITE;
  Recorder* recorder = Recorder::get();
  if (is_inside(call_site) || recorder == nullptr) return;
  switch (what) {
    case PHOTOFINISH_SAYS_BEFORE:
      return record(Call::happens_before, *recorder, call_site, text, key, value);
    case PHOTOFINISH_SAYS_AFTER:
      return record(Call::happens_after, *recorder, call_site, text, key, value);
    case PHOTOFINISH_SAYS_INTENDED:
      return record(Call::intended_begin, *recorder, call_site, text, key, value);
    case PHOTOFINISH_SAYS_INTENDED_END:
      return record(Call::intended_end, *recorder, call_site, text, key, value);
    case PHOTOFINISH_SAYS_REGION:
      return record(Call::region_begin, *recorder, call_site, text, key, value);
    case PHOTOFINISH_SAYS_REGION_END:
      return record(Call::region_end, *recorder, call_site, text, key, value);
    default:
      return;  // an annotation of a header that is newer than this library
  }
}

}  // namespace

void acquire_annotations() {
  for (void* annotations : noted(PHOTOFINISH_ANNOTATIONS_ABI))
    static_cast<photofinish_annotations*>(annotations)->say = on_annotation;
}

}  // namespace photofinish::mpi
