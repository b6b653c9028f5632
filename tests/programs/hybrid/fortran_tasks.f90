! A task receives and another one reads. Fixed: it depends on the first.
! build: flags="-fopenmp -cpp"
! run: ranks=2
! output: done
! expect race: store @{receive} load @{read}
program fortran_tasks
  use mpi
  use omp_lib
  implicit none
  integer :: ierror, provided, rank
  integer, save :: mine(16), values(16)
  integer, save :: total
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  mine = 1
  !$omp parallel num_threads(2)
  !$omp single
#ifdef FIXED
  !$omp task depend(out: values)
#else
  !$omp task
#endif
  call MPI_Sendrecv(mine, 16, MPI_INTEGER, 1 - rank, 0, & !{receive}
                    values, 16, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  !$omp end task
#ifdef FIXED
  !$omp task depend(in: values)
#else
  !$omp task
#endif
  total = values(7) !{read}
  !$omp end task
  !$omp end single
  !$omp end parallel
  if (total > 1000) print '(a)', 'odd'
  if (rank == 0) print '(a)', 'done'
  call MPI_Finalize(ierror)
end program
