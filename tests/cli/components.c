// Whether what MPI had loaded before MPI_Finalize is still loaded after it.
#define _GNU_SOURCE
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int count(struct dl_phdr_info *object, size_t size, void *components) {
  (void)size;
  if (strstr(object->dlpi_name, "/mca_") != NULL) ++*(int *)components;
  return 0;
}

int main(int argc, char **argv) {
  int before = 0, after = 0;
  MPI_Init(&argc, &argv);
  dl_iterate_phdr(count, &before);
  MPI_Finalize();
  dl_iterate_phdr(count, &after);
  if (after == before) puts("all there");
  else printf("%d of %d components\n", after, before);
  return 0;
}
