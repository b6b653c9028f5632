! Fortran (mpi_f08): ghost columns of a matrix are put while the first column is recomputed. Fixed:
! the inner columns first, and the sent one after the flush.
! run: ranks=2
! build: flags="-cpp"
! output: ghost 5
! output buggy: ghost *
! expect race: load @{put} store @{store}
program columns
  use mpi_f08
  implicit none
  integer, parameter :: n = 6
  integer :: rank, j, first
  integer, asynchronous :: a(n, 0:n + 1)
  type(MPI_Win) :: win
  integer(kind=MPI_ADDRESS_KIND) :: bytes, ghost
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  a = 5
  bytes = 4 * n * (n + 2)
  call MPI_Win_create(a, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_lock_all(0, win)
  ghost = n * (n + 1)
  call MPI_Put(a(:, 1), n, MPI_INTEGER, 1 - rank, ghost, n, MPI_INTEGER, win)  !{put}
#ifdef FIXED
  call MPI_Win_flush_local(1 - rank, win)
#endif
  first = 1
  do j = first, n
    call relax(a(:, j))
  end do
  call MPI_Win_unlock_all(win)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i2)', 'ghost', a(2, n + 1)
  call MPI_Win_free(win)
  call MPI_Finalize()
contains
  subroutine relax(column)
    integer, intent(inout) :: column(n)
    integer :: i
    do i = 2, n - 1
      column(i) = column(i) + 1  !{store}
    end do
  end subroutine
end program
