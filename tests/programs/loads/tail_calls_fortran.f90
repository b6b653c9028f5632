! Fortran: two ranks put to one address in one epoch, through calls that are the last statements of
! their subroutines. Fixed: the second rank puts in another epoch.
! run: ranks=3
! build: flags="-cpp" source=parts/put_value.f90 source=parts/put_checked.f90
! output: cell 2
! output buggy: cell *
! expect race: put @{put} put @{put}
! expect report buggy: #0 put_value* *{put}*
! expect report buggy: #1 put_checked* *{checked}*
! expect report buggy: #2 * *{main}*
program tail_calls
  implicit none
  include 'mpif.h'
  integer :: rank, win, ierr, turn, value
  integer :: window(16)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, base, place
  pointer (base, window)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  bytes = 64
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
  window = 0
  place = 3
  value = rank
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Win_fence(0, win, ierr)
  do turn = 1, 2
    if (rank == turn) call put_checked(value, 1, MPI_INTEGER, 0, place, win, ierr)  !{main}
#ifdef FIXED
    call MPI_Win_fence(0, win, ierr)
#endif
  end do
  call MPI_Win_fence(0, win, ierr)
  if (rank == 0) print '(A,I0)', 'cell ', window(4)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program
