"""Programs that load the MPI library themselves and look its functions up, as Python's ctypes does.

  lookup_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import sys

import cli_test
from cli_test import Case

LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}
# Without MPI's header and library. argv: the library, how it is loaded, whether the second send waits for the first receive.
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#define LOOK_UP(name) __typeof__(&MPI_##name) name = dlsym(library, "MPI_" #name)
int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  LOOK_UP(Init); LOOK_UP(Finalize); LOOK_UP(Comm_rank); LOOK_UP(Send); LOOK_UP(Recv); LOOK_UP(Barrier);
#ifdef OPEN_MPI
  MPI_Comm world = dlsym(library, "ompi_mpi_comm_world");
  MPI_Datatype type = dlsym(library, "ompi_mpi_int");
#else
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Datatype type = MPI_INT;
#endif
  if (dlsym(library, "MPI_No_such_function") != NULL || dlerror() == NULL) return 2;
  if (dlsym(RTLD_NEXT, "puts") != (void*)puts) return 3;
  Init(&argc, &argv);
  int rank, value = 0, ordered = argc > 3;
  Comm_rank(world, &rank);
  if (rank == 1) Send(&value, 1, type, 0, 5, world);
  if (rank == 0) Recv(&value, 1, type, MPI_ANY_SOURCE, 5, world, MPI_STATUS_IGNORE);  /* receive */
  if (ordered) Barrier(world);
  if (rank == 2) Send(&value, 1, type, 0, 5, world);
  if (rank == 0) Recv(&value, 1, type, MPI_ANY_SOURCE, 5, world, MPI_STATUS_IGNORE);
  Finalize();
  return 0;
}
"""
SCRIPT = """
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1])
mpi.MPI_Init(None, None)
mpi.MPI_Finalize()
"""


class Lookup(Case):
    library = property(lambda self: LIBRARIES[cli_test.arguments.mpi])

    def check(self, *words):
        return self.photofinish("check", f"--mpi={cli_test.arguments.mpi}", "-n", "3", "--overwrite", *words)

    def test_functions_that_dlsym_finds(self):
        self.write("app.c", PROGRAM)
        app = self.compile(self.path("app.c"), "-ldl", name="app")
        for how in ("local", "global"):
            racy = self.check(app, self.library, how)
            self.assertEqual(racy.code, 66, racy)
            self.assertRegex(racy.err, r"#0 main .*app\.c:25:", racy)
            self.assertIn("SUMMARY: photofinish: 1 message race", racy.err, racy)
            fixed = self.check(app, self.library, how, "ordered")
            self.assertEqual(fixed.code, 0, fixed)
            self.assertIn("SUMMARY: photofinish: no findings", fixed.err, fixed)

    def test_python(self):
        self.write("app.py", SCRIPT)
        result = self.check(sys.executable, "app.py", self.library)
        self.assertEqual(result.code, 0, result)
        self.assertIn("3 of 3 ranks recorded", result.err, result)


if __name__ == "__main__":
    cli_test.main()
