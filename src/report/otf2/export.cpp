#include "report/otf2/export.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "report/finding_text.h"
#include "report/otf2/plugin.h"

namespace photofinish {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstead = "--format perfetto needs no library";

Result<Otf2Entry*> find_writer() {
  std::error_code error;
  const fs::path plugin = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() /
                          "lib/photofinish" / kOtf2Plugin;
  if (!fs::exists(plugin, error))
    return Error{
        fmt::format("this photofinish was built without OTF2: install libotf2-trace-dev, or what "
                    "has otf2/otf2.h, and build it again; {}",
                    kInstead)};
  void* const library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error{
        fmt::format("OTF2 is not installed here ({}): install libopen-trace-format2-10, or your "
                    "system's package of OTF2; {}",
                    dlerror(), kInstead)};
  auto* const entry = reinterpret_cast<Otf2Entry*>(dlsym(library, kOtf2Entry));
  if (entry == nullptr)
    return Error{fmt::format("{} belongs to another version of photofinish", plugin.string())};
  return entry;
}

// Removes an existing archive. A folder that is not an archive is left alone.
Result<bool> make_way(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return true;
  if (!fs::is_directory(folder, error))
    return Error{fmt::format("{} is not a folder", folder.string())};
  if (!fs::is_empty(folder, error) && !fs::exists(folder / "traces.otf2", error))
    return Error{
        fmt::format("{} is not an OTF2 archive; give another folder with -o", folder.string())};
  fs::remove_all(folder, error);
  if (error) return Error{fmt::format("cannot replace {}: {}", folder.string(), error.message())};
  return true;
}

}  // namespace

Result<bool> write_otf2(const std::string& folder, const RunDocument& run) {
  const auto writer = find_writer();
  if (!writer) return writer.error();
  std::vector<std::string> texts;
  std::map<std::string, std::uint32_t> numbers;
  std::vector<Otf2Mark> marks;
  for (const FindingDocument& finding : run.findings)
    for (const EndDocument& end : finding.ends)
      if (!end.nothing) {
        const std::string category(kind_name(finding.kind));
        texts.push_back(fmt::format("F{} {}: {}", finding.number, category, end.headline));
        marks.push_back({end.rank.value, end.begin / 2,
                         numbers.try_emplace(category, static_cast<std::uint32_t>(numbers.size()))
                             .first->second,
                         nullptr});
      }
  std::vector<const char*> categories(numbers.size());
  for (const auto& [name, number] : numbers) categories[number] = name.c_str();
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i].text = texts[i].c_str();
  std::stable_sort(marks.begin(), marks.end(), [](const Otf2Mark& a, const Otf2Mark& b) {
    return std::pair(a.rank, a.event) < std::pair(b.rank, b.event);
  });

  // Writes to a temporary folder first: readers never see half of an archive.
  const fs::path wanted = fs::absolute(folder).lexically_normal(),
                 position = wanted.has_filename() ? wanted : wanted.parent_path();
  const fs::path unfinished = position.string() + fmt::format(".{}", static_cast<long>(getpid()));
  const std::string from = run.directory, into = unfinished.string();
  Otf2Request request{.run = from.c_str(),
                      .folder = into.c_str(),
                      .creator = "photofinish " PHOTOFINISH_VERSION,
                      .categories = categories.data(),
                      .category_count = categories.size(),
                      .marks = marks.data(),
                      .mark_count = marks.size(),
                      .trouble = {}};
  if (const auto way = make_way(position); !way) return way;
  std::error_code error;
  if (!(*writer)(&request)) {
    fs::remove_all(unfinished, error);
    return Error{fmt::format("cannot write {}: {}", folder, request.trouble)};
  }
  fs::rename(unfinished, position, error);
  if (error) return Error{fmt::format("cannot write {}: {}", folder, error.message())};
  return true;
}

}  // namespace photofinish
