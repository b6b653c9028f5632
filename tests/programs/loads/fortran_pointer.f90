! Fortran (mpi_f08): a pointer to the window, and a second pointer to a part of it. The target
! stores through the second one while another rank puts. Fixed: a fence between.
! run: ranks=2
! build: flags="-cpp"
! output: inner 40
! output buggy: inner *
! expect race: put @{put} store @{store}
program pointers
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank
  integer, target :: value
  integer, pointer, asynchronous :: u(:), inner(:)
  type(MPI_Win) :: win
  type(c_ptr) :: base
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  bytes = 64
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, u, [16])
  u = 0
  call MPI_Win_fence(0, win)
  inner => u(5:12)
  value = 40
  place = 6
  if (rank == 1) call fill(inner, 3)
#ifdef FIXED
  call MPI_Win_fence(0, win)
#endif
  if (rank == 0) call MPI_Put(value, 1, MPI_INTEGER, 1, place, 1, MPI_INTEGER, win)  !{put}
  call MPI_Win_fence(0, win)
  if (rank == 1) print '(a,i3)', 'inner', inner(3)
  call MPI_Win_free(win)
  call MPI_Finalize()
contains
  subroutine fill(part, number)
    integer, intent(inout) :: part(:)
    integer, intent(in) :: number
    integer :: i
    do i = 1, size(part)
      part(i) = number * i  !{store}
    end do
  end subroutine
end program
