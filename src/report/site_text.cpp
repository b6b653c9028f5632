#include "report/site_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include "model/recursion.h"

namespace photofinish {

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string location_of(const Frame& frame) {
  return frame.file.empty() ? fmt::format("{}+0x{:x}", base_name(frame.module), frame.offset)
                            : fmt::format("{}:{}", base_name(frame.file), frame.line);
}

namespace {

// Libraries between the user's code and MPI, by prefix of their file names.
constexpr std::string_view kLibraries[] = {
    "libmpi",   "libopen-",     "libphotofinish", "libboost_", "libcaf",  "libpetsc",
    "libHYPRE", "libscalapack", "libstdc++",      "libgomp.",  "libomp.", "libc."};

bool is_of_a_library(const Frame& frame) {
  const std::string module = base_name(frame.module);
  return frame.file.empty() || frame.file.starts_with("/usr/include/") ||
         frame.file.starts_with("/usr/lib/") || frame.function.starts_with("std::") ||
         std::any_of(std::begin(kLibraries), std::end(kLibraries),
                     [&](std::string_view library) { return module.starts_with(library); });
}

}  // namespace

const Frame* leading_frame(const std::vector<Frame>& stack) {
  if (stack.empty()) return nullptr;
  const auto own = std::find_if_not(stack.begin(), stack.end(), is_of_a_library);
  if (own != stack.end()) return &*own;
  const auto with_line = std::find_if(stack.begin(), stack.end(),
                                      [](const Frame& frame) { return !frame.file.empty(); });
  return with_line != stack.end() ? &*with_line : &stack.front();
}

std::vector<std::string> numbered_frames(const std::vector<Frame>& frames) {
  std::vector<std::string> lines;
  for (const Frame& frame : frames) {
    std::string where = frame.file.empty() ? fmt::format("{}+0x{:x}", frame.module, frame.offset)
                                           : fmt::format("{}:{}", frame.file, frame.line);
    if (!frame.file.empty() && frame.column > 0) where += fmt::format(":{}", frame.column);
    lines.push_back(fmt::format("#{} {} {}{}", lines.size(),
                                frame.function.empty() ? "?" : frame.function, where,
                                frame.inlined ? " (inlined)" : ""));
  }
  return lines;
}

namespace {

// Compares functions only: from which line a function calls itself does not matter.
std::vector<std::size_t> outside_recursion(const std::vector<Frame>& frames) {
  return without_recursion(frames, [](const Frame& frame) {
    return frame.function.empty() ? std::tuple(frame.module, std::string(), frame.offset)
                                  : std::tuple(frame.function, frame.file, std::uint64_t{0});
  });
}

}  // namespace

std::vector<Frame> without_recursion(const std::vector<Frame>& frames) {
  std::vector<Frame> kept;
  for (const std::size_t i : outside_recursion(frames)) kept.push_back(frames[i]);
  return kept;
}

std::vector<std::string> folded_frames(const std::vector<Frame>& frames) {
  constexpr std::size_t kShown = 2;  // frames of a recursion that are shown
  const std::vector<std::string> lines = numbered_frames(frames);
  std::vector<std::size_t> kept = outside_recursion(frames);
  kept.push_back(frames.size());
  std::vector<std::string> folded;
  std::size_t next = 0;
  for (const std::size_t stays : kept) {
    const std::size_t shown = stays - next <= kShown + 1 ? stays : next + kShown;
    folded.insert(folded.end(), lines.begin() + static_cast<std::ptrdiff_t>(next),
                  lines.begin() + static_cast<std::ptrdiff_t>(shown));
    if (shown < stays) {
      std::vector<std::string> functions;
      for (std::size_t i = shown; i < stays; ++i) {
        const std::string name = frames[i].function.empty() ? "?" : frames[i].function;
        if (std::find(functions.begin(), functions.end(), name) == functions.end())
          functions.push_back(name);
      }
      folded.push_back(
          fmt::format("… {} more frames of {}", stays - shown, fmt::join(functions, ", ")));
    }
    if (stays < frames.size()) folded.push_back(lines[stays]);
    next = stays + 1;
  }
  return folded;
}

namespace {

// Frames in the MPI library, such as Fortran bindings that call its C functions, are not the user's
// code.
bool is_mpi_library(const std::string& module) {
  const std::string name = base_name(module);
  return name.starts_with("libmpi") || name.starts_with("libopen-") ||
         name.starts_with("libphotofinish");
}

// Nor are the procedures that the flang modules add to the program (compiler/fortran).
bool is_fortran_binding(const Frame& frame) {
  return frame.function.starts_with("photofinish_mpi_");
}

// Frames of the OpenMP runtime between a parallel region and the function that contains it.
bool is_openmp_library(const std::string& module) {
  const std::string name = base_name(module);
  return name.starts_with("libomp.") || name.starts_with("libomp-") ||
         name.starts_with("libgomp.") || name.starts_with("libiomp");
}

// Below the first frame of a thread's own code is the library that started the thread.
bool starts_threads(const std::string& module) {
  const std::string name = base_name(module);
  return name.starts_with("libc.so") || name.starts_with("libpthread") ||
         name.starts_with("libstdc++.so") || name.starts_with("libc++.so");
}

// The position of the compiler's suffix in the name of a parallel region's function: clang's
// main.omp_outlined, flang's _QQmain..omp_par, GCC's main._omp_fn.0. npos if there is none.
std::size_t outlined_at(const std::string& function) {
  for (const char* mark : {".omp_outlined", "..omp_par", "._omp_fn."})
    if (const std::size_t at = function.find(mark); at != function.npos) return at;
  return function.npos;
}

bool is_of_the_standard_library(const Frame& frame) {
  return frame.file.empty() ? frame.function.starts_with("std::")
                            : frame.file.find("/include/c++/") != frame.file.npos;
}

// Makes the stack match the source: removes functions of the standard library, and names parallel
// regions after the functions that contain them.
void fold(std::vector<Frame>& stack) {
  if (!std::all_of(stack.begin(), stack.end(), is_of_the_standard_library))
    std::erase_if(stack, is_of_the_standard_library);
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const std::size_t at = outlined_at(stack[i].function);
    if (at == std::string::npos) continue;
    std::string function = stack[i].function.substr(0, at);
    if (function.empty() && i + 1 < stack.size()) function = stack[i + 1].function;
    stack[i].function = function.empty() ? "(parallel region)" : function + " (parallel region)";
  }
}

}  // namespace

std::vector<Frame> SiteText::frames(SiteId site) {
  std::vector<Frame> all;
  const auto found = definitions_.sites.find(site);
  if (found == definitions_.sites.end()) return all;
  for (const SiteFrame& frame : found->second.frames) {
    const auto module = definitions_.modules.find(frame.module);
    if (module == definitions_.modules.end()) {
      all.push_back({.module = "?", .offset = frame.address});
      continue;
    }
    if (const std::string& function = module->second.script_function; !function.empty()) {
      // What calls MPI for the script (mpi4py, ctypes, libffi) is not the user's code.
      std::erase_if(all, [](const Frame& above) { return above.file.empty(); });
      all.push_back({.function = function,
                     .file = module->second.path,
                     .line = static_cast<int>(frame.address),
                     .module = module->second.path});
      continue;
    }
    if (is_mpi_library(module->second.path) || is_openmp_library(module->second.path)) continue;
    const auto here =
        symbolizer_.frames(module->second.path, frame.address, true, module->second.build_id);
    if (all.empty() && is_fortran_binding(here.front())) continue;
    all.insert(all.end(), here.begin(), here.end());
    // The callers are not the user's code.
    if (here.back().function == "main" || here.back().is_program) break;
  }
  while (all.size() > 1 && starts_threads(all.back().module)) all.pop_back();
  fold(all);
  return all;
}

std::string SiteText::where(SiteId site) {
  const std::vector<Frame> all = frames(site);
  if (all.empty()) return "";
  const Frame& frame = all.front();
  return frame.function.empty() ? location_of(frame) : frame.function + " " + location_of(frame);
}

std::string SiteText::location(SiteId site) {
  const std::vector<Frame> all = frames(site);
  return all.empty() ? "" : location_of(all.front());
}

std::vector<std::string> SiteText::stack(SiteId site) { return numbered_frames(frames(site)); }

}  // namespace photofinish
