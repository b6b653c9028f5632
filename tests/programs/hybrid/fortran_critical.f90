! Correct: threads receive in turns, into one buffer, and add it up before they leave the critical
! section; a reduction joins the sums.
! build: flags="-fopenmp -cpp"
! run: ranks=2
! output: 72
! expect no race
program fortran_critical
  use mpi
  use omp_lib
  implicit none
  integer :: ierror, provided, rank, i, total
  integer, save :: mine(16), values(16)
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  total = 0
  !$omp parallel do num_threads(2) reduction(+:total) private(ierror)
  do i = 1, 8
    !$omp critical
    mine = 1 + rank
    call MPI_Sendrecv(mine, 16, MPI_INTEGER, 1 - rank, 0, &
                      values, 16, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    total = total + values(3)
    !$omp end critical
    total = total + 7
  end do
  if (rank == 0) print '(i0)', total
  call MPI_Finalize(ierror)
end program
