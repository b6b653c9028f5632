#include "model/scopes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/recursion.h"

namespace photofinish {

const std::vector<Scopes::Scope> Scopes::kNone;

namespace {

// Stacks of a team's threads differ below its frames: the program called the first thread, libc the
// others.
bool is_openmp_runtime(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name =
      std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1);
  return name.starts_with("libomp") || name.starts_with("libiomp") || name.starts_with("libgomp");
}

}  // namespace

std::uint64_t call_site_key(const Definitions& definitions, SiteId site) {
  const auto found = definitions.sites.find(site);
  if (found == definitions.sites.end()) return site.value;
  const std::vector<SiteFrame>& frames = found->second.frames;
  std::uint64_t key = 0;
  for (const std::size_t i : without_recursion(
           frames, [](const SiteFrame& frame) { return std::pair(frame.module, frame.address); })) {
    const SiteFrame& frame = frames[i];
    const auto module = definitions.modules.find(frame.module);
    std::uint64_t name = 0;
    if (module != definitions.modules.end()) {
      if (is_openmp_runtime(module->second.path)) break;
      const std::string& text =
          module->second.build_id.empty() ? module->second.path : module->second.build_id;
      name = XXH3_64bits(text.data(), text.size());
      if (const std::string& function = module->second.script_function; !function.empty())
        name ^= XXH3_64bits(function.data(), function.size());
    }
    const std::uint64_t words[] = {key, name, frame.address};
    key = XXH3_64bits(words, sizeof words);
  }
  return key & ~kIntendedSite;
}

std::uint64_t Scopes::keyed(std::uint64_t location) const {
  if (current_->regions != 0) {
    const std::uint64_t words[] = {location, current_->regions};
    location = XXH3_64bits(words, sizeof words) & ~kIntendedSite;
  }
  return current_->intended ? location | kIntendedSite : location;
}

void Scopes::follow(const Event& event, const Definitions& definitions) {
  const bool begins = event.call == Call::intended_begin || event.call == Call::region_begin;
  const bool ends = event.call == Call::intended_end || event.call == Call::region_end;
  if (begins || ends) {
    Task& task = tasks_[event.task];
    const bool intended = event.call == Call::intended_begin || event.call == Call::intended_end;
    if (begins) {
      task.open.push_back(
          {intended, TextId(static_cast<std::uint32_t>(event.fields[Field::text])), event.site});
    } else {
      // The innermost of its kind. An end without a begin has no effect.
      const auto innermost =
          std::find_if(task.open.rbegin(), task.open.rend(),
                       [&](const Scope& scope) { return scope.intended == intended; });
      if (innermost != task.open.rend()) task.open.erase(std::next(innermost).base());
    }
    task.intended = false;
    task.regions = 0;
    for (const Scope& scope : task.open) {
      task.intended = task.intended || scope.intended;
      if (scope.intended) continue;
      // By name, since ids differ between ranks.
      const auto text = definitions.texts.find(scope.text);
      const std::string name = text != definitions.texts.end() ? text->second.text : "";
      task.regions = XXH3_64bits_withSeed(name.data(), name.size(), task.regions + 1);
    }
    if (task.open.empty()) tasks_.erase(event.task);
  }
  if (tasks_.empty()) {
    current_ = nullptr;
    return;
  }
  const auto found = tasks_.find(event.task);
  current_ = found != tasks_.end() ? &found->second : nullptr;
}

}  // namespace photofinish
