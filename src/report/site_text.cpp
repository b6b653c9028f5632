#include "report/site_text.h"

#include <fmt/format.h>

namespace photofinish {

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string location_of(const Frame& frame) {
  return frame.file.empty() ? fmt::format("{}+0x{:x}", base_name(frame.module), frame.offset)
                            : fmt::format("{}:{}", base_name(frame.file), frame.line);
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

// Frames in the MPI library (its Fortran bindings call its C functions) are not what the user
// wrote.
bool is_mpi_library(const std::string& module) {
  const std::string name = base_name(module);
  return name.starts_with("libmpi") || name.starts_with("libopen-") ||
         name.starts_with("libphotofinish");
}

// Nor are the procedures that the modules for flang have in the program itself (compiler/fortran).
bool is_fortran_binding(const Frame& frame) {
  return frame.function.starts_with("photofinish_mpi_");
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
    if (is_mpi_library(module->second.path)) continue;
    const auto here =
        symbolizer_.frames(module->second.path, frame.address, true, module->second.build_id);
    if (all.empty() && is_fortran_binding(here.front())) continue;
    all.insert(all.end(), here.begin(), here.end());
    // What called main is nobody's interest.
    if (here.back().function == "main") break;
  }
  return all;
}

std::string SiteText::place(SiteId site) {
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
