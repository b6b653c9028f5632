#include "launch/elf.h"

#include <elf.h>

#include <array>
#include <cstring>
#include <random>

#include "temp_dir.h"

namespace photofinish {
namespace {

using testing::build_fake_program;
using testing::read_file;
using testing::TempDir;

constexpr std::array<std::string_view, 3> kNames = {"MPI_Init", "main", "no_such_function"};

TEST(Elf, ReadsAProgram) {
  TempDir dir;
  const auto elf = read_elf(build_fake_program(dir, "app", "libmpi.so.40"));
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_TRUE(elf->has_interpreter);
  EXPECT_TRUE(elf->has_dynamic_section);
  EXPECT_TRUE(elf->is_program);
  EXPECT_EQ(elf->needed.at(0), "libmpi.so.40");
  EXPECT_EQ(elf->rpath + elf->runpath, "$ORIGIN");
}

TEST(Elf, ReadsALibrary) {
  TempDir dir;
  testing::build_fake_mpi(dir, "libmpi.so.40");
  const auto elf = read_elf(dir / "libmpi.so.40");
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_FALSE(elf->is_program);
  EXPECT_FALSE(elf->has_interpreter);
  EXPECT_EQ(elf->soname, "libmpi.so.40");
}

TEST(Elf, ReportsRpathFromRunpath) {
  TempDir dir;
  dir.write("m.c", "int main(void) { return 0; }\n");
  dir.run(
      "cc m.c -Wl,--disable-new-dtags,-rpath,/a:/b -o old && cc m.c "
      "-Wl,--enable-new-dtags,-rpath,/c -o new");
  EXPECT_EQ(read_elf(dir / "old")->rpath, "/a:/b");
  EXPECT_EQ(read_elf(dir / "old")->runpath, "");
  EXPECT_EQ(read_elf(dir / "new")->rpath, "");
  EXPECT_EQ(read_elf(dir / "new")->runpath, "/c");
}

TEST(Elf, StaticProgramsHaveNoInterpreter) {
  TempDir dir;
  dir.write("m.c", "int main(void) { return 0; }\n");
  dir.run("cc -static m.c -o plain && cc -static-pie m.c -o pie");
  for (const char* name : {"plain", "pie"}) {
    const auto elf = read_elf(dir / name);
    ASSERT_TRUE(elf) << elf.error().message;
    EXPECT_TRUE(elf->is_program) << name;
    EXPECT_FALSE(elf->has_interpreter) << name;
    EXPECT_TRUE(elf->needed.empty()) << name;
  }
  EXPECT_FALSE(read_elf(dir / "plain")->has_dynamic_section);
}

TEST(Elf, FindsSymbolsAlsoWhenStripped) {
  TempDir dir;
  const std::string app = build_fake_program(dir, "app", "libmpi.so.40");
  dir.run("cc -no-pie calls_mpi.c ./libmpi.so.40 -o nopie && cp app stripped && strip stripped");
  for (const std::string& path : {app, dir / "nopie"}) {
    const auto uses = find_symbols(path, kNames);
    ASSERT_TRUE(uses) << uses.error().message;
    EXPECT_TRUE((*uses)[0].needed && !(*uses)[0].defined);
    EXPECT_TRUE((*uses)[1].defined);
    EXPECT_TRUE(!(*uses)[2].defined && !(*uses)[2].needed);
  }
  const auto stripped = find_symbols(dir / "stripped", kNames);
  ASSERT_TRUE(stripped) << stripped.error().message;
  EXPECT_TRUE((*stripped)[0].needed);
  EXPECT_FALSE((*stripped)[1].defined);
}

TEST(Elf, FindsSymbolsWithoutSectionHeaders) {
  TempDir dir;
  std::string bytes = read_file(build_fake_program(dir, "app", "libmpi.so.40"));
  std::memset(bytes.data() + offsetof(Elf64_Ehdr, e_shoff), 0, sizeof(Elf64_Off));
  const auto uses = find_symbols(dir.write("bare", bytes), kNames);
  ASSERT_TRUE(uses) << uses.error().message;
  EXPECT_TRUE((*uses)[0].needed);
}

TEST(Elf, ReportsKindsOfFiles) {
  TempDir dir;
  EXPECT_EQ(kind_of_file(dir.write("script", "#!/bin/sh\n")), FileKind::Script);
  EXPECT_EQ(kind_of_file(dir.write("text", "hello\n")), FileKind::Other);
  EXPECT_EQ(kind_of_file(dir.write("empty", "")), FileKind::Other);
  EXPECT_EQ(kind_of_file(dir / "missing"), FileKind::Other);
  EXPECT_EQ(kind_of_file(dir.path()), FileKind::Other);
  dir.run("mkfifo pipe");
  EXPECT_EQ(kind_of_file(dir / "pipe"), FileKind::Other);
  EXPECT_EQ(kind_of_file("/proc/self/exe"), FileKind::Elf);
}

TEST(Elf, RefusesWhatIsNoProgram) {
  TempDir dir;
  dir.write("m.c", "int main(void) { return 0; }\n");
  dir.run("cc -c m.c -o m.o");
  const auto object = read_elf(dir / "m.o");
  ASSERT_FALSE(object);
  EXPECT_NE(object.error().message.find("object file"), std::string::npos);
  std::string bytes = read_file(dir / "m.o");
  bytes[EI_CLASS] = ELFCLASS32;
  const auto narrow = read_elf(dir.write("narrow", bytes));
  ASSERT_FALSE(narrow);
  EXPECT_NE(narrow.error().message.find("64-bit"), std::string::npos);
  EXPECT_FALSE(read_elf(dir / "missing"));
}

TEST(Elf, TruncatedFilesAreErrors) {
  TempDir dir;
  const std::string bytes = read_file(build_fake_program(dir, "app", "libmpi.so.40"));
  // Everything the loader needs is in the first part; the section headers are at the end.
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
    const std::string path = dir.write("cut", bytes.substr(0, size));
    EXPECT_FALSE(find_symbols(path, kNames)) << size;
    if (size < 1024) {
      EXPECT_FALSE(read_elf(path)) << size;
    }
  }
}

// Must only return: the sanitizers check the rest.
TEST(Elf, SurvivesDamage) {
  TempDir dir;
  const std::string bytes = read_file(build_fake_program(dir, "app", "libmpi.so.40"));
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  Elf64_Phdr dynamic{};
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_DYNAMIC) dynamic = segment;
  }
  ASSERT_GT(dynamic.p_filesz, 0u);
  // Random bytes would mostly hit code, so damage what is read: headers, the dynamic section, the
  // section headers.
  const std::pair<size_t, size_t> targets[] = {{EI_NIDENT, 0x400},
                                               {dynamic.p_offset, dynamic.p_filesz},
                                               {header.e_shoff, bytes.size() - header.e_shoff},
                                               {0, bytes.size()}};
  std::mt19937 random(1);
  int rejected = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = bytes;
    const auto [start, size] = targets[round % 4];
    for (int i = 0; i < 1 + round % 8; ++i) {
      static constexpr unsigned char kNasty[] = {0x00, 0xff, 0x7f, 0x80, 0x01};
      damaged[start + random() % size] =
          static_cast<char>(random() % 2 ? kNasty[random() % 5] : random());
    }
    const std::string path = dir.write("damaged", damaged);
    rejected += !read_elf(path);
    rejected += !find_symbols(path, kNames);
  }
  EXPECT_GT(rejected, 100);
  EXPECT_LT(rejected, 8000);
}

}  // namespace
}  // namespace photofinish
