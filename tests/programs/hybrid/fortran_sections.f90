! One section receives, another one reads; there are more sections than threads. Fixed: the second
! one comes in sections of its own.
! build: flags="-fopenmp -cpp"
! run: ranks=2
! output: done
! expect race: store @{receive} load @{read}
program fortran_sections
  use mpi
  use omp_lib
  implicit none
  integer :: ierror, provided, rank
  integer, save :: mine(16), values(16), others(2)
  integer, save :: total
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  mine = 1
  !$omp parallel num_threads(2)
  !$omp sections
  !$omp section
  call MPI_Sendrecv(mine, 16, MPI_INTEGER, 1 - rank, 0, & !{receive}
                    values, 16, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
#ifdef FIXED
  !$omp end sections
  !$omp sections
#endif
  !$omp section
  total = values(7) !{read}
  !$omp section
  others(1) = 1
  !$omp section
  others(2) = 1
  !$omp end sections
  !$omp end parallel
  if (total > 1000) print '(a)', 'odd'
  if (rank == 0) print '(a)', 'done'
  call MPI_Finalize(ierror)
end program
