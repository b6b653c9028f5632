! The master receives into an array that all threads read. Fixed: a barrier between the two.
! build: flags="-fopenmp -cpp"
! run: ranks=2
! output: done
! expect race: store @{receive} load @{read}
program fortran_region
  use mpi
  use omp_lib
  implicit none
  integer :: ierror, provided, rank
  integer, save :: mine(64), values(64)
  integer, save :: total
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  mine = 1
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) then
    call MPI_Sendrecv(mine, 64, MPI_INTEGER, 1 - rank, 0, & !{receive}
                      values, 64, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end if
#ifdef FIXED
  !$omp barrier
#endif
  if (omp_get_thread_num() == 1) total = values(7) !{read}
  !$omp end parallel
  if (total > 1000) print '(a)', 'odd'
  if (rank == 0) print '(a)', 'done'
  call MPI_Finalize(ierror)
end program
