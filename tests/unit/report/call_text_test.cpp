#include "report/call_text.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../launch/temp_dir.h"
#include "frontend/mpi/table/mpi_call.h"

namespace photofinish {
namespace {

using Texts = std::vector<std::string>;
using testing::TempDir;

Texts c(const Texts& lines, const char* name) { return arguments_of_call(lines, name, false); }
Texts fortran(const Texts& lines, const char* name) { return arguments_of_call(lines, name, true); }

TEST(CallText, FindsArguments) {
  EXPECT_EQ(c({"  MPI_Put(&row[1], n, f(a, b), {1, 2}, win);"}, "MPI_Put"),
            (Texts{"&row[1]", "n", "f(a, b)", "{1, 2}", "win"}));
  EXPECT_EQ(c({"rc = MPI_Isend (halo, 8, // of 8", "   MPI_INT, /* to */ 1,", "  t, c, &r);"},
              "MPI_Isend"),
            (Texts{"halo", "8", "MPI_INT", "1", "t", "c", "&r"}));
  EXPECT_EQ(c({"f(\"MPI_Put(\\\",\", ','), MPI_Put(a, \")\", b);"}, "MPI_Put"),
            (Texts{"a", "\")\"", "b"}));
  EXPECT_EQ(fortran({"call mpi_isend(halo(:, 1), n, & ! the edge", "  & MPI_REAL, 1, 0, comm, r)"},
                    "MPI_Isend"),
            (Texts{"halo(:, 1)", "n", "MPI_REAL", "1", "0", "comm", "r"}));
}

TEST(CallText, FindsNothingWhereItIsNotCertain) {
  EXPECT_EQ(c({}, "MPI_Put"), Texts{});
  EXPECT_EQ(c({"SEND(halo);"}, "MPI_Send"), Texts{});
  EXPECT_EQ(c({"MPI_Sendrecv(a, b);"}, "MPI_Send"), Texts{});
  EXPECT_EQ(c({"my_MPI_Send(a, b);"}, "MPI_Send"), Texts{});
  EXPECT_EQ(c({"x = 1;", "MPI_Send(a, b);"}, "MPI_Send"), Texts{}) << "another line";
  EXPECT_EQ(c({"MPI_Send(a, b"}, "MPI_Send"), Texts{}) << "it does not end";
  EXPECT_EQ(c({"#define S MPI_Send"}, "MPI_Send"), Texts{});
  EXPECT_EQ(c({"// MPI_Send(a, b);"}, "MPI_Send"), Texts{});
}

TEST(CallText, KnowsWhichArgumentIsTheBuffer) {
  const Texts sendrecv = {"out", "1", "t", "1", "0", "in", "1", "t", "1", "0", "c", "s"};
  EXPECT_EQ(buffer_argument(MpiCall::MPI_Sendrecv, false, sendrecv), "out");
  EXPECT_EQ(buffer_argument(MpiCall::MPI_Sendrecv, true, sendrecv), "in");
  EXPECT_EQ(buffer_argument(MpiCall::MPI_Allreduce, false, {"MPI_IN_PLACE", "sum", "1"}), "sum");
  EXPECT_EQ(buffer_argument(MpiCall::MPI_File_iread, true, {"file", "data", "1"}), "data");
  EXPECT_EQ(buffer_argument(MpiCall::MPI_Compare_and_swap, false, {"new", "old", "result"}), "")
      << "one of two";
  EXPECT_EQ(buffer_argument(MpiCall::MPI_Barrier, false, {"comm"}), "");
  EXPECT_EQ(buffer_argument(MpiCall::MPI_Put, false, {}), "");
  EXPECT_EQ(window_argument(MpiCall::MPI_Win_create, {"grid", "n"}), "grid");
  EXPECT_EQ(window_argument(MpiCall::MPI_Win_allocate, {"n", "1"}), "");
}

TEST(CallText, KnowsWhoseMemoryAnExpressionIs) {
  EXPECT_EQ(variable_of("&row[1]"), "row");
  EXPECT_EQ(variable_of("halo"), "halo");
  EXPECT_EQ(variable_of("(double*)halo"), "");
  EXPECT_EQ(variable_of("0"), "");
  EXPECT_EQ(variable_of(""), "");
  const Variable array{.name = "row", .is_array = true}, pointer{.name = "row", .is_pointer = true},
      object{.name = "row"}, pointers{.name = "row", .is_array = true, .of_pointers = true};
  for (const char* own : {"row", "&row[1]", "row + 1", "row[0]", "&row"})
    EXPECT_TRUE(is_own_memory(own, array, false)) << own;
  for (const char* other : {"row->x", "row.data()", "&row[i].next", "f(row)", "rows"})
    EXPECT_FALSE(is_own_memory(other, array, false)) << other;
  EXPECT_TRUE(is_own_memory("&row", object, false));
  EXPECT_TRUE(is_own_memory("&row.x", object, false));
  for (const char* other : {"row.data()", "&row[0]", "row", "row.x"})  // of a vector, of a member
    EXPECT_FALSE(is_own_memory(other, object, false)) << other;
  EXPECT_FALSE(is_own_memory("row", pointer, false));
  EXPECT_FALSE(is_own_memory("row[0]", pointers, false));
  EXPECT_TRUE(is_own_memory("&row[0]", pointers, false));
  EXPECT_TRUE(is_own_memory("row(:, 1)", array, true));
  EXPECT_FALSE(is_own_memory("row(:, 1)", pointer, true));
}

TEST(CallText, ReadsLinesOfFilesThatDidNotChange) {
  TempDir dir;
  dir.write("a.c", "int x;\n  x = 1;\t\r\n" + std::string(300, 'y') + "\n");
  const auto line = [&](SourceLines& sources, int number) {
    return sources.line_of({.file = dir / "a.c", .line = number});
  };
  SourceLines sources(0);
  EXPECT_EQ(line(sources, 2), "x = 1;");
  EXPECT_EQ(line(sources, 3), std::string(120, 'y') + " …");
  for (const int number : {0, -1, 4, 1000}) EXPECT_EQ(line(sources, number), "") << number;
  EXPECT_EQ(sources.line_of({.file = dir / "none.c", .line = 1}), "");
  EXPECT_EQ(sources.line_of({.file = dir.path(), .line = 1}), "");
  SourceLines before(1);  // the run is older than the file
  EXPECT_EQ(line(before, 2), "");
}

}  // namespace
}  // namespace photofinish
