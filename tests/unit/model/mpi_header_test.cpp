// Every function that an MPI header declares is in the call table, or excluded with a reason.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "model/call.h"

namespace photofinish {
namespace {

struct Library {
  std::string name;
  std::vector<std::string> headers;
};

std::vector<Library> installed_libraries() {
  std::vector<Library> libraries;
#ifdef PHOTOFINISH_INCLUDE_openmpi
  const std::string openmpi = PHOTOFINISH_INCLUDE_openmpi;
  libraries.push_back(
      {"Open MPI", {openmpi + "/mpi.h", openmpi + "/openmpi/mpiext/mpiext_pcollreq_c.h"}});
#endif
#ifdef PHOTOFINISH_INCLUDE_mpich
  const std::string mpich = PHOTOFINISH_INCLUDE_mpich;
  libraries.push_back({"MPICH", {mpich + "/mpi.h", mpich + "/mpi_proto.h", mpich + "/mpio.h"}});
#endif
  return libraries;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Blanks out comments and preprocessor lines, by hand: std::regex recurses on long matches.
std::string without_comments_and_macros(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 1;
    } else if (text.compare(i, 2, "//") == 0 || (line_start && text[i] == '#')) {
      while (i < text.size() && (text[i] != '\n' || text[i - 1] == '\\')) ++i;
      out += '\n';
      line_start = true;
    } else {
      out += text[i];
      if (text[i] == '\n')
        line_start = true;
      else if (text[i] != ' ' && text[i] != '\t')
        line_start = false;
    }
  }
  return out;
}

// "int MPI_Send(": a type, then a name, then a parenthesis.
std::set<std::string> declared_functions(const Library& library) {
  static const std::regex declaration(
      R"((?:int|double|void|MPI_[A-Z][A-Za-z]*)\s+\*?\s*(MPIX?_[A-Z][A-Za-z0-9_]*)\s*\()");
  std::set<std::string> names;
  for (const std::string& header : library.headers) {
    const std::string text = without_comments_and_macros(read_file(header));
    for (std::sregex_iterator match(text.begin(), text.end(), declaration), end; match != end;
         ++match)
      names.insert((*match)[1]);
  }
  return names;
}

std::map<std::string, std::string> left_out() {
  std::map<std::string, std::string> reasons;
  const auto add = [&](const char* reason, const std::string& list) {
    static const std::regex word(R"(\w+)");
    for (std::sregex_iterator match(list.begin(), list.end(), word), end; match != end; ++match) {
      EXPECT_TRUE(reasons.emplace(match->str(), reason).second)
          << match->str() << " is left out twice";
    }
  };
#define LEFT_OUT(reason, ...) add(reason, #__VA_ARGS__);
#include "frontend/mpi/table/left_out.def"
  return reasons;
}

TEST(MpiHeaders, EveryFunctionIsHandledOrLeftOut) {
  const auto reasons = left_out();
  for (const Library& library : installed_libraries()) {
    const auto declared = declared_functions(library);
    // MPI 3.1 has more than 400 functions: fewer would mean that this test does not find them.
    EXPECT_GT(declared.size(), 400u) << library.name;
    EXPECT_TRUE(declared.contains("MPI_Send") && declared.contains("MPI_Wtime") &&
                declared.contains("MPI_Win_fence"));
    for (const std::string& name : declared)
      EXPECT_TRUE(call_by_name(name).has_value() || reasons.contains(name))
          << library.name << " declares " << name
          << ": add it to calls.def or, with a reason, to left_out.def";
  }
}

TEST(MpiHeaders, NothingIsListedTwiceOrInVain) {
  const auto libraries = installed_libraries();
  ASSERT_FALSE(libraries.empty());
  std::set<std::string> declared;
  for (const Library& library : libraries) declared.merge(declared_functions(library));
  const auto reasons = left_out();
  for (const auto& [name, reason] : reasons) {
    EXPECT_FALSE(call_by_name(name).has_value()) << name << " is handled, and left out";
    EXPECT_GT(reason.size(), 20u) << name << " is left out without a reason";
    EXPECT_TRUE(libraries.size() < 2 || declared.contains(name))
        << name << " is left out, but no header declares it";
  }
  if (libraries.size() < 2) return;
  for (std::size_t i = 0; i < call_count(); ++i) {
    const auto& [name_view, action, when] = traits(static_cast<Call>(i));
    if (static_cast<Call>(i) >= Call::load) continue;  // calls of the program's own
    const std::string name(name_view);
    EXPECT_TRUE(declared.contains(name)) << name << " is in the table, but no header declares it";
  }
}

}  // namespace
}  // namespace photofinish
