#include "symbols/symbolizer.h"

#include <elf.h>

#include <cstdio>
#include <cstring>
#include <random>

#include "../launch/temp_dir.h"

namespace photofinish {
namespace {

using testing::have;
using testing::read_file;
using testing::ScopedEnv;
using testing::TempDir;

// `mark` is the address of an instruction on line 2, in a function inlined at two levels.
constexpr const char* kInlining =
    R"(static inline __attribute__((always_inline)) void innermost(void) {
  __asm__ volatile(".globl mark\nmark: nop");
}
static inline __attribute__((always_inline)) void middle(void) {
  innermost();
}
__attribute__((noinline)) int outer(int x) {
  middle();
  return x + 1;
}
__attribute__((noinline)) int caller(int x) {
  return outer(x) + 1;
}
int main(int argc, char** argv) {
  (void)argv;
  return caller(argc);
}
)";

// The value of a symbol, as nm prints it.
uint64_t address_of(const std::string& path, const std::string& symbol) {
  const std::string line = "nm '" + path + "' | awk '$3 == \"" + symbol + "\" { print $1 }'";
  FILE* nm = popen(line.c_str(), "r");
  unsigned long long address = 0;
  EXPECT_EQ(std::fscanf(nm, "%llx", &address), 1) << line;
  pclose(nm);
  return address;
}

std::string build_id_of(const std::string& path) {
  const std::string line = "readelf -n '" + path + "' | awk '/Build ID/ { print $3 }'";
  FILE* readelf = popen(line.c_str(), "r");
  char id[128] = "";
  EXPECT_EQ(std::fscanf(readelf, "%127s", id), 1) << line;
  pclose(readelf);
  return id;
}

std::string file_name(const Frame& frame) { return frame.file.substr(frame.file.rfind('/') + 1); }

void expect_inlined_frames(const std::vector<Frame>& frames, const std::string& file = "") {
  ASSERT_EQ(frames.size(), 3u);
  const std::pair<const char*, int> expected[] = {{"innermost", 2}, {"middle", 5}, {"outer", 8}};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(frames[i].function, expected[i].first);
    EXPECT_EQ(frames[i].line, expected[i].second);
    EXPECT_EQ(frames[i].inlined, i < 2);
    EXPECT_EQ(frames[i].column, 3);
    if (!file.empty()) {
      EXPECT_EQ(frames[i].file, file);
    }
  }
}

void expect_only_address(const std::vector<Frame>& frames, const std::string& module,
                         uint64_t address) {
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "");
  EXPECT_EQ(frames[0].file, "");
  EXPECT_EQ(frames[0].line, 0);
  EXPECT_EQ(frames[0].module, module);
  EXPECT_EQ(frames[0].offset, address);
}

class Inlining
    : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

TEST_P(Inlining, IsExpanded) {
  const auto [compiler, kind, dwarf] = GetParam();
  if (!have(compiler)) GTEST_SKIP() << compiler << " is not here";
  TempDir dir;
  dir.write("p.c", kInlining);
  dir.run(std::string(compiler) + " -O2 " + dwarf + " " + kind + " p.c -o module");
  Symbolizer symbolizer;
  expect_inlined_frames(
      symbolizer.frames(dir / "module", address_of(dir / "module", "mark"), false), dir / "p.c");
}

INSTANTIATE_TEST_SUITE_P(
    Builds, Inlining,
    ::testing::Combine(::testing::Values("cc", "clang", "clang-19"),
                       ::testing::Values("-fPIE -pie", "-fno-pie -no-pie", "-fPIC -shared"),
                       ::testing::Values("-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gsplit-dwarf")));

class Symbols : public ::testing::Test {
 protected:
  void build(const std::string& flags = "-O2 -g") {
    dir_.write("p.c", kInlining);
    dir_.run("cc " + flags + " p.c -o module");
    mark_ = address_of(module_, "mark");
  }

  TempDir dir_;
  const std::string module_ = dir_ / "module";
  uint64_t mark_ = 0;
  Symbolizer symbolizer_;
};

TEST_F(Symbols, ReturnAddressesAreOfTheCall) {
  build();
  // `outer` is called on line 12: disassembly gives the instruction after the call.
  const std::string line =
      "objdump -d --no-show-raw-insn '" + module_ +
      "' | awk '/<caller>:/ { in_caller = 1 } in_caller && called { print $1; exit }"
      " in_caller && /(bl|call).*<outer/ { called = 1 }'";
  FILE* objdump = popen(line.c_str(), "r");
  unsigned long long after_call = 0;
  ASSERT_EQ(std::fscanf(objdump, "%llx", &after_call), 1) << line;
  pclose(objdump);
  const auto frames = symbolizer_.frames(module_, after_call, true);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "caller");
  EXPECT_EQ(frames[0].line, 12);
  EXPECT_EQ(frames[0].offset, after_call);
  // One byte before is sufficient: any byte of the instruction has its line.
  expect_inlined_frames(symbolizer_.frames(module_, mark_ + 1, true));
}

TEST_F(Symbols, WithoutDebugInformationTheSymbolTableSpeaks) {
  build("-O2");
  const uint64_t outer = address_of(module_, "outer");
  auto frames = symbolizer_.frames(module_, outer, false);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "outer");
  EXPECT_EQ(frames[0].file, "");
  dir_.run("cp module stripped && strip stripped");
  expect_only_address(symbolizer_.frames(dir_ / "stripped", outer, false), dir_ / "stripped",
                      outer);
}

TEST_F(Symbols, DynamicSymbolsOfAStrippedLibrary) {
  build("-O2 -fPIC -shared");
  const uint64_t outer = address_of(module_, "outer");
  dir_.run("strip module");
  EXPECT_EQ(symbolizer_.frames(module_, outer + 4, false)[0].function, "outer");
}

TEST_F(Symbols, SeparateDebugFileByLink) {
  build();
  dir_.run(
      "objcopy --only-keep-debug module module.debug && strip module && objcopy "
      "--add-gnu-debuglink=module.debug "
      "module");
  expect_inlined_frames(symbolizer_.frames(module_, mark_, false), dir_ / "p.c");
}

TEST_F(Symbols, NoNetworkAndTheUsersVariableStays) {
  const ScopedEnv urls("DEBUGINFOD_URLS", "http://127.0.0.1:9/");
  build("-O2");
  dir_.run("strip module");
  expect_only_address(symbolizer_.frames(module_, mark_, false), module_, mark_);
  EXPECT_STREQ(std::getenv("DEBUGINFOD_URLS"), "http://127.0.0.1:9/");
}

TEST_F(Symbols, AnotherBuildGivesNoLines) {
  build("-O2 -g -Wl,--build-id");
  const std::string id = build_id_of(module_);
  EXPECT_TRUE(symbolizer_.matches(module_, id));
  EXPECT_TRUE(symbolizer_.matches(module_, ""));
  expect_inlined_frames(symbolizer_.frames(module_, mark_, false, id));
  EXPECT_FALSE(symbolizer_.matches(module_, "0123456789abcdef"));
  expect_only_address(symbolizer_.frames(module_, mark_, false, "0123456789abcdef"), module_,
                      mark_);
  expect_inlined_frames(symbolizer_.frames(module_, mark_, false));  // the cache distinguishes them
}

TEST_F(Symbols, AFileWithoutBuildIdMatchesNoExpectedOne) {
  build("-O2 -g -Wl,--build-id=none");
  EXPECT_FALSE(symbolizer_.matches(module_, "01"));
  EXPECT_TRUE(symbolizer_.matches(module_, ""));
}

TEST_F(Symbols, WhatIsNotAModuleGivesTheAddress) {
  for (const std::string& path :
       {dir_ / "missing", dir_.path(), dir_.write("text", "hello"), std::string("[vdso]")}) {
    EXPECT_FALSE(symbolizer_.matches(path, ""));
    expect_only_address(symbolizer_.frames(path, 0x1234, true), path, 0x1234);
  }
}

TEST_F(Symbols, AddressesOutsideOfCodeGiveTheAddress) {
  build();
  for (const uint64_t address : {uint64_t{0}, uint64_t{1} << 40, ~uint64_t{0}})
    expect_only_address(symbolizer_.frames(module_, address, true), module_, address);
}

TEST_F(Symbols, CppNamesAreDemangled) {
  for (const std::string compiler : {"c++", "clang++", "clang++-19"}) {
    if (!have(compiler)) continue;
    dir_.write("p.cpp", R"(namespace solver {
template <class T> struct Grid {
  __attribute__((always_inline)) void touch(T) {
    __asm__ volatile(".globl mark\nmark: nop");
  }
};
__attribute__((noinline)) void step(int n) {
  auto body = [&](int i) __attribute__((always_inline)) { Grid<double>().touch(i); };
  body(n);
}
}
int main(int argc, char**) { solver::step(argc); }
)");
    dir_.run(compiler + " -O2 -g p.cpp -o module_" + compiler);
    const std::string module = dir_ / ("module_" + compiler);
    const auto frames = symbolizer_.frames(module, address_of(module, "mark"), false);
    ASSERT_EQ(frames.size(), 3u) << compiler;
    EXPECT_EQ(frames[0].function, "solver::Grid<double>::touch(double)");
    EXPECT_EQ(frames[0].line, 4);
    EXPECT_NE(frames[1].function.find("operator()"), std::string::npos) << frames[1].function;
    EXPECT_EQ(frames[1].line, 8);
    EXPECT_EQ(frames[2].function, "solver::step(int)");
    EXPECT_EQ(frames[2].line, 9);
  }
}

// Module procedures, and internal procedures whose code lies outside of their parent's.
TEST_F(Symbols, FortranNamesAreAsWritten) {
  const struct {
    const char *compiler, *module_procedure, *contained;
  } compilers[] = {{"gfortran", "__solver_MOD_step", "inner."},
                   {"flang-new-19", "_QMsolverPstep", "_QMsolverFstepPinner"}};
  for (const auto& [compiler, module_procedure, contained] : compilers) {
    if (!have(compiler)) continue;
    dir_.write("p.f90", R"(module solver
contains
  subroutine step(x)
    real, intent(inout) :: x(:)
    call inner(x)
    call inner(x)
  contains
    subroutine inner(y)
      real, intent(inout) :: y(:)
      y = y + 1
    end subroutine
  end subroutine
end module
program main
  use solver
  real :: a(8)
  a = 0
  call step(a)
  print *, a(1)
end program
)");
    dir_.run(std::string(compiler) + " -O0 -g p.f90 -o module_f");
    Symbolizer symbolizer;  // the same path, another file
    const auto frames = symbolizer.frames(dir_ / "module_f",
                                          address_of(dir_ / "module_f", module_procedure), false);
    EXPECT_EQ(frames[0].function, "solver::step") << compiler;
    EXPECT_EQ(frames[0].line, 3) << compiler;
    EXPECT_EQ(file_name(frames[0]), "p.f90") << compiler;
    const std::string find = std::string("nm module_f | grep -o '") + contained + "[^ ]*$' > name";
    dir_.run(find);
    std::string name = read_file(dir_ / "name");
    name.pop_back();
    const auto inner =
        symbolizer.frames(dir_ / "module_f", address_of(dir_ / "module_f", name), false);
    EXPECT_TRUE(inner[0].function == "inner" || inner[0].function == "solver::step::inner")
        << compiler << ": " << inner[0].function;
    EXPECT_EQ(inner[0].line, 8) << compiler;
    const char* const program = compiler == std::string("gfortran") ? "MAIN__" : "_QQmain";
    const auto main =
        symbolizer.frames(dir_ / "module_f", address_of(dir_ / "module_f", program), false);
    EXPECT_EQ(main[0].function, "main") << compiler;
    EXPECT_TRUE(main[0].is_program) << compiler;
    EXPECT_FALSE(frames[0].is_program) << compiler;
  }
}

// With line tables only, as with pfmpifort, flang emits only its mangled names.
TEST_F(Symbols, FortranNamesOfFlang) {
  if (!have("flang-new-19")) GTEST_SKIP() << "needs flang";
  dir_.write("p.f90", R"(module solver
contains
  subroutine step(x)
    real, intent(inout) :: x(:)
    call inner(x)
  contains
    subroutine inner(y)
      real, intent(inout) :: y(:)
      y = y + 1
    end subroutine
  end subroutine
end module
program demo
  use solver
  real :: a(8)
  call step(a)
end program
)");
  for (const char* flags : {"-g", "-g1", "-g0"}) {
    dir_.run(std::string("flang-new-19 -O0 ") + flags + " p.f90 -o module_f");
    Symbolizer symbolizer;
    const auto name_of = [&](const char* symbol) {
      return symbolizer.frames(dir_ / "module_f", address_of(dir_ / "module_f", symbol), false)
          .front()
          .function;
    };
    EXPECT_EQ(name_of("_QMsolverPstep"), "solver::step") << flags;
    EXPECT_EQ(name_of("_QMsolverFstepPinner"), "solver::step::inner") << flags;
    // Its name is only in the source, which is found by line tables.
    EXPECT_EQ(name_of("_QQmain"), flags == std::string("-g0") ? "MAIN" : "demo") << flags;
  }
}

// `mark` is in the inner block of `work`, after an inlined call.
TEST_F(Symbols, VariablesHaveNames) {
  dir_.write("p.c", R"(double grid[8];
static int counter;
__attribute__((noinline)) int work(int* pointer, int count) {
  static int calls[2];
  int row[16], *rows[2] = {row, pointer};
  struct { int x, y; } point = {count, 1};
  for (int i = 0; i < count; ++i) {
    short row[4] = {(short)i};
    __asm__ volatile(".globl mark\nmark: nop" : : "r"(row), "r"(rows), "r"(&point) : "memory");
  }
  return calls[++counter & 1] + (int)grid[1];
}
int main(int argc, char** argv) { (void)argv; return work(&argc, 3); }
)");
  for (const std::string compiler : {"cc", "clang-19"}) {
    if (!have(compiler)) continue;
    dir_.run(compiler + " -O0 -g p.c -o module_" + compiler);
    const std::string module = dir_ / ("module_" + compiler);
    Symbolizer symbolizer;
    const auto global = [&](const char* symbol, std::uint64_t offset) {
      const auto found = symbolizer.variable_at(module, address_of(module, symbol) + offset);
      return found ? found->name : "";
    };
    EXPECT_EQ(global("grid", 0), "grid") << compiler;
    EXPECT_EQ(global("grid", 63), "grid") << compiler;
    EXPECT_NE(global("grid", 64), "grid") << compiler;
    EXPECT_EQ(global("counter", 0), "counter") << compiler;
    EXPECT_EQ(global("main", 0), "") << "code";
    EXPECT_FALSE(symbolizer.variable_at(module, address_of(module, "grid"), "12ab"));
    EXPECT_FALSE(symbolizer.variable_at(dir_ / "none", 0x1000));
    dir_.run("nm module_" + compiler + " | grep -o 'calls.*$\\|work.calls.*$' | head -1 > name");
    std::string name = read_file(dir_ / "name");
    name.pop_back();
    EXPECT_EQ(global(name.c_str(), 0), compiler == "cc" ? "calls" : "work.calls");

    const std::uint64_t behind = address_of(module, "mark") + 1;  // as of a call at mark
    const auto local = [&](const char* wanted) {
      return symbolizer.local_named(module, behind, wanted);
    };
    ASSERT_TRUE(local("row") && local("rows") && local("pointer") && local("point")) << compiler;
    EXPECT_EQ(local("row")->bytes, 8u) << "the innermost one";
    EXPECT_EQ(local("row")->function, "work");
    EXPECT_TRUE(local("row")->is_array && !local("row")->of_pointers);
    EXPECT_TRUE(local("rows")->of_pointers);
    EXPECT_TRUE(local("pointer")->is_pointer);
    EXPECT_FALSE(local("point")->is_array || local("point")->is_pointer);
    for (const char* none : {"calls", "grid", "argc", "nothing"})
      EXPECT_FALSE(local(none)) << none << " " << compiler;
  }
}

// Must only return: the sanitizers check the rest.
TEST_F(Symbols, SurvivesDamage) {
  for (const std::string flags : {"-O2 -gdwarf-4", "-O2 -gdwarf-5"}) {
    build(flags);
    const std::string bytes = read_file(module_);
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::vector<std::pair<size_t, size_t>> targets = {
        {0, 0x400}, {header.e_shoff, bytes.size() - header.e_shoff}};
    for (int i = 0; i < header.e_shnum;
         ++i) {  // sections that are not loaded: debug information, symbols, names
      Elf64_Shdr section;
      std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof section, sizeof section);
      if (section.sh_addr == 0 && section.sh_size > 0)
        targets.emplace_back(section.sh_offset, section.sh_size);
    }
    std::mt19937 random(1);
    for (int round = 0; round < 1500; ++round) {
      std::string damaged = bytes;
      const auto [start, size] = targets[round % targets.size()];
      for (int i = 0; i < 1 + round % 8; ++i)
        damaged[start + random() % size] = static_cast<char>(random());
      const std::string path = dir_.write("damaged", damaged);
      EXPECT_FALSE(Symbolizer().frames(path, mark_, false).empty());
    }
    for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 200)
      EXPECT_FALSE(
          Symbolizer().frames(dir_.write("cut", bytes.substr(0, size)), mark_, false).empty());
  }
}

}  // namespace
}  // namespace photofinish
