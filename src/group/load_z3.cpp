#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "group/z3_solver.h"

namespace photofinish::group {

namespace fs = std::filesystem;

Result<Solver> load_z3() {
  std::error_code error;
  const fs::path plugin = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() /
                          "lib/photofinish" / kZ3Plugin;
  if (!fs::exists(plugin, error))
    return Error{
        "cannot search for a group: this photofinish was built without z3. Install libz3-dev, or "
        "what has z3++.h, and build it again"};
  void* const library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error{
        fmt::format("cannot search for a group: z3 is not installed here ({}). Install libz3-4, or "
                    "your system's package of z3",
                    dlerror())};
  auto* const entry = reinterpret_cast<Z3Entry*>(dlsym(library, kZ3Entry));
  if (entry == nullptr)
    return Error{fmt::format("{} belongs to another version of photofinish", plugin.string())};
  return Solver([entry](const Problem& problem, double seconds) {
    Answer answer;
    entry(&problem, seconds, &answer);
    return answer;
  });
}

}  // namespace photofinish::group
