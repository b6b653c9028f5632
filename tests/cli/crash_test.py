"""Accesses just before a crash: a rank records its loads and stores with its next MPI call, which a crashed rank never makes.

  crash_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import os

import cli_test
from cli_test import Case

# Rank 1 loads what rank 0 puts meanwhile, and crashes in the way that its argument names.
PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int g_sum;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, *memory;
  const int value = 3;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* put */
    MPI_Win_flush(1, win);
    pause();
  }
  static char small[16384];
  if (strcmp(argv[1], "stack") == 0) {
    stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
    sigaltstack(&stack, NULL);
  }
  g_sum = memory[0]; /* load */
  if (strcmp(argv[1], "abort") == 0) abort();
  if (strcmp(argv[1], "kill") == 0) raise(SIGKILL);
  *(volatile int*)8 = g_sum;
  return 0;
}
"""


class Crash(Case):
    def checked(self, way):
        self.write("app.c", PROGRAM)
        wrapper = os.path.join(os.path.dirname(cli_test.arguments.photofinish), "pfmpicc")
        app = self.compile(self.path("app.c"), f"--mpi={cli_test.arguments.mpi}", name="app", compiler=wrapper)
        result = self.photofinish("check", "-n", "2", "--overwrite", app, way)
        self.assertNotIn(result.code, (0, 66, 70), result)
        return result

    def finds_the_race(self, way):
        result = self.checked(way)
        self.assertRegex(result.err, r"Put of 4 bytes by rank 0 [^\n]*\n.*app\.c:19:(.*\n)*  conflicts with load of 4 bytes by rank 1\n.*app\.c:28:", result)
        self.assertIn("SUMMARY: photofinish: 1 one-sided race up to the crash of rank 1", result.err, result)

    def test_fault(self):
        self.finds_the_race("fault")

    def test_abort(self):
        self.finds_the_race("abort")

    def test_on_a_small_signal_stack(self):
        """There is no room to record more than the end, and nothing gets worse."""
        self.assertRegex(self.checked("stack").err, r"SUMMARY: photofinish: .* up to the crash of rank 1")

    def test_without_a_handler(self):
        """Nothing can be recorded after SIGKILL: the summary does not claim that the run was checked to its end."""
        self.assertRegex(self.checked("kill").err, r"SUMMARY: photofinish: no findings up to the (sudden )?end of")


if __name__ == "__main__":
    cli_test.main()
