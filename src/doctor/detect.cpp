#include "doctor/detect.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "doctor/ask.h"
#include "launch/launcher.h"

namespace photofinish {
namespace {

namespace fs = std::filesystem;

bool is_there(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

// The name mpicc.openmpi identifies the library; mpicc must be queried.
std::string compiler_of(MpiFlavour flavour) {
  const bool open_mpi = flavour == MpiFlavour::OpenMpi;
  if (const auto own = find_program(open_mpi ? "mpicc.openmpi" : "mpicc.mpich"))
    return fs::path(*own).filename();
  const auto common = find_program("mpicc");
  if (!common) return "";
  const Answer answer = open_mpi ? ask({*common, "--showme:version"}) : ask({*common, "-v"});
  return answer.text.find(open_mpi ? "Open MPI" : "MPICH") != std::string::npos ? "mpicc" : "";
}

// "clang-19", or a clang that reports version 19.
std::string find_of_version(std::initializer_list<const char*> names, int version) {
  for (const std::string name : names) {
    if (const auto numbered = find_program(fmt::format("{}-{}", name, version)))
      return fmt::format("{}-{}", name, version);
    const auto plain = find_program(name);
    if (plain && ask({*plain, "--version"}).text.find(fmt::format("version {}.", version)) !=
                     std::string::npos)
      return name;
  }
  return "";
}

std::vector<int> versions_of_passes(const std::string& ours) {
  std::vector<int> versions;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(ours, failed)) {
    constexpr std::string_view kBegin = "photofinish-pass-", kEnd = ".so";
    const std::string name = entry.path().filename();
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    int version = 0;
    const char* const end = name.data() + name.size() - kEnd.size();
    if (std::from_chars(name.data() + kBegin.size(), end, version).ptr == end)
      versions.push_back(version);
  }
  std::sort(versions.rbegin(), versions.rend());
  return versions;
}

}  // namespace

std::string version_in(const std::string& text) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (!digit(begin)) continue;
    std::size_t end = begin, dots = 0;
    for (; digit(end) || (end < text.size() && text[end] == '.' && digit(end + 1)); ++end)
      dots += text[end] == '.';
    if (dots > 0) return text.substr(begin, end - begin);
    begin = end;
  }
  return "";
}

MpiFacts check_for_mpi(MpiFlavour flavour, const std::string& ours) {
  const std::string name = flavour == MpiFlavour::OpenMpi ? "openmpi" : "mpich";
  MpiFacts facts{.flavour = flavour};
  facts.has_library = is_there(ours + "/libphotofinish-" + name + ".so");
  facts.has_analysis = is_there(ours + "/photofinish-analyze-" + name);
  facts.compiler = compiler_of(flavour);
  auto line = launcher_for(flavour, 1);
  if (!line) return facts;
  facts.launcher = fs::path((*line)[0]).filename();
  facts.version = version_in(ask({(*line)[0], "--version"}).text);
  line->push_back("true");
  const Answer started = ask(*line, 20);
  if (!started.well())
    facts.trouble = started.ended ? started.first_line() : "it did not return within 20 seconds";
  if (!started.well() && facts.trouble.empty())
    facts.trouble = fmt::format("exit code {}", started.code);
  if (facts.trouble.empty() && facts.has_analysis && facts.version.starts_with("4.1.") &&
      flavour == MpiFlavour::OpenMpi) {
    auto probe = launcher_for(flavour, 2);
    if (!probe) return facts;
    probe->insert(probe->end(), {ours + "/photofinish-analyze-" + name, "swap"});
    if (const Answer answer = ask(*probe, 20); answer.ended)
      facts.swap = answer.well() ? MpiFacts::Swap::Works : MpiFacts::Swap::Crashes;
  }
  return facts;
}

std::vector<ClangFacts> check_for_clangs(const std::string& ours) {
  std::vector<ClangFacts> all;
  for (const int version : versions_of_passes(ours)) {
    ClangFacts facts{.version = version};
    facts.clang = find_of_version({"clang"}, version);
    facts.clangxx = find_of_version({"clang++"}, version);
    facts.flang = find_of_version({"flang-new", "flang"}, version);
    facts.has_modules = is_there(fmt::format("{}/fortran-{}", ours, version));
    if (!facts.clang.empty()) {
      const Answer loaded =
          ask({facts.clang, fmt::format("-fpass-plugin={}/photofinish-pass-{}.so", ours, version),
               "-x", "c", "-O1", "-S", "-o", "/dev/null", "/dev/null"});
      if (!loaded.well())
        facts.trouble =
            loaded.text.empty() ? fmt::format("exit code {}", loaded.code) : loaded.first_line();
    }
    all.push_back(facts);
  }
  return all;
}

}  // namespace photofinish
