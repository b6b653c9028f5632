"""photofinish group, on the real tool: what it prints for good and bad input. (tests/run_group.py: programs of which some ranks fail.)

  group_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import os

import cli_test
from cli_test import Case


class Group(Case):
    # Rank 1 gets a value that rank 0 put into the memory of rank 2, and fails. Rank 3 does nothing.
    PROGRAM = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  signal(SIGTERM, SIG_IGN);  /* from the launcher when the other failing rank ends first */
  int rank, got = 0, *memory;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_fence(0, win);
  const int value = 42;
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 2, 1, 1, MPI_INT, win);  /* puts */
  MPI_Win_fence(0, win);
  if (rank == 1) MPI_Get(&got, 1, MPI_INT, 2, 1, 1, MPI_INT, win);  /* gets */
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return rank == 3 || (rank == 1 && got == 42) ? 5 : 0;
}
"""

    def recorded(self, *words):
        self.write("app.c", self.PROGRAM)
        app = self.compile(self.path("app.c"), name="app")
        result = self.photofinish("record", *words, "-n", "4", app)
        self.assertNotIn(result.code, (0, 64, 70), result)

    def test_names_the_writer(self):
        self.recorded()
        result = self.photofinish("group", "photofinish.run", "--failure", "1")
        self.assertEqual(result.code, 0, result)
        self.assertIn("Ranks 0-1 of 4 explain the failure of rank 1: a schedule of their own events explains every value", result.out)
        self.assertRegex(result.out, r"rank 0: rank 1 MPI_Get app.c:\d+ read 0x2a <- rank 0 MPI_Put app.c:\d+\n")
        self.assertRegex(result.out, r"1  rank 0 MPI_Put .*: writes 0x2a, memory of rank 2\n +2  rank 1 MPI_Get .*: reads 0x2a, memory of rank 2\n")
        self.assertIn("photofinish replay photofinish.run --ranks 0-1\n", result.out)
        # Loads and stores of other ranks are missing, and it says so.
        self.assertRegex(result.err, r"photofinish: .*app is not instrumented: rebuild with pfmpicc")
        self.assertEqual(self.photofinish("replay", "photofinish.run", "--ranks", "0-1").code, 5)
        # A rank that read nothing, and one that did not fail.
        alone = self.photofinish("group", "photofinish.run", "--failure", "3")
        self.assertIn("Rank 3 of 4 fails alone", alone.out)
        self.assertSays(self.photofinish("group", "photofinish.run", "--failure", "2"),
                        r"rank 2 did not fail \(exit 0\); give a rank that did: 1,3$", 64)
        self.without_z3()

    def without_z3(self):
        """The same tool, without the module."""
        build = os.path.dirname(os.path.dirname(cli_test.arguments.photofinish))
        os.makedirs(self.path("tool/bin"))
        os.makedirs(self.path("tool/lib/photofinish"))
        with open(cli_test.arguments.photofinish, "rb") as file, open(self.path("tool/bin/photofinish"), "wb") as copy:
            copy.write(file.read())
        os.chmod(self.path("tool/bin/photofinish"), 0o755)
        for name in os.listdir(build + "/lib/photofinish"):
            if "z3" not in name:
                os.symlink(f"{build}/lib/photofinish/{name}", self.path("tool/lib/photofinish/" + name))
        self.assertSays(self.run_(self.path("tool/bin/photofinish"), "group", "photofinish.run", "--failure", "1"),
                        "built without z3. Install libz3-dev", 70)

    def test_some_ranks_recorded(self):
        self.recorded("--ranks", "1,3")
        self.assertSays(self.photofinish("group", "photofinish.run", "--failure", "1"),
                        r"only ranks 1,3 of 4 were recorded.*Record all with: photofinish record -n 4", 64)
        self.assertSays(self.photofinish("group", "photofinish.run", "--failure", "0"),
                        r"cannot explain the failure of rank 0: it was not recorded \(recorded ranks: 1,3\)", 64)

    def test_not_a_recorded_run(self):
        os.mkdir(self.path("folder"))
        self.assertSays(self.photofinish("group", "folder", "--failure", "1"), "folder is not a photofinish run", 64)
        self.assertSays(self.photofinish("group", "nowhere", "--failure", "1"), "nowhere: No such file or directory", 64)
        self.assertSays(self.photofinish("group", "folder"), "photofinish group RUN --failure RANK", 64)
        self.assertSays(self.photofinish("group", "folder", "--failure", "1", "--time", "0"), "option time takes seconds, 1 or more", 64)
        self.write("app.c", self.PROGRAM)
        app = self.compile(self.path("app.c"), name="app")
        self.photofinish("check", "--offline", "-n", "4", app)
        self.assertSays(self.photofinish("group", "photofinish.run", "--failure", "1"), "written by check, which records nothing to replay; use photofinish record", 64)


if __name__ == "__main__":
    cli_test.main()
