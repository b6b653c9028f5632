! Fortran (mpif.h): a store to an array in a common block while a put from it is pending, and a load
! of the result of a pending get. A Cray pointer points to the window. Fixed: a flush before.
! run: ranks=2
! build: flags="-cpp"
! output: sum 10
! output buggy: sum *
! expect race: load @{put} store @{element}
! expect race: store @{get} load @{load}
program array
  implicit none
  include 'mpif.h'
  integer :: rank, win, ierr, i, total
  integer :: window(16), values(4), got(4)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, here, there, base
  pointer (base, window)
  common /buffers/ values, got

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  bytes = 64
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
  window = 0
  do i = 1, 4
    window(8 + i) = i
    values(i) = 10 * i
  end do
  got = 0
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Win_lock_all(0, win, ierr)
  total = 0
  if (rank == 0) then
    here = 0
    there = 8
    call MPI_Put(values, 4, MPI_INTEGER, 1, here, 4, MPI_INTEGER, win, ierr)  !{put}
    call MPI_Get(got, 4, MPI_INTEGER, 1, there, 4, MPI_INTEGER, win, ierr)  !{get}
#ifdef FIXED
    call MPI_Win_flush(1, win, ierr)
#endif
    values(3) = total  !{element}
    do i = 1, 4
      total = total + got(i)  !{load}
    end do
    call MPI_Win_flush(1, win, ierr)
  end if
  call MPI_Win_unlock_all(win, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i3)', 'sum', total
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program
