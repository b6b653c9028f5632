! Fortran (mpi): a rank assigns to an allocatable that is the buffer of a pending send, and reads a
! component of a derived type that is the buffer of a pending receive. Fixed: the waits come first.
! run: ranks=2
! build: flags="-cpp"
! output: largest 8
! output buggy: largest *
! expect race: load @{send} store @{store}
! expect race: store @{receive} load @{load}
module fields
  implicit none
  type field
    real :: scale = 1
    integer, allocatable :: values(:)
  end type
contains
  integer function largest(f)
    type(field), intent(in) :: f
    integer :: i
    largest = 0
    do i = 1, size(f%values)
      if (f%values(i) > largest) largest = f%values(i)  !{load}
    end do
  end function
end module
program allocatables
  use mpi
  use fields
  implicit none
  integer :: rank, ierr, i, seen, requests(2)
  integer, allocatable :: sent(:)
  type(field) :: f
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate(sent(8), f%values(8))
  do i = 1, 8
    sent(i) = i
  end do
  f%values = 0
  call MPI_Irecv(f%values, 8, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(1), ierr)  !{receive}
  call MPI_Isend(sent, 8, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(2), ierr)  !{send}
#ifdef FIXED
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
#endif
  seen = largest(f)
  sent(2:6:2) = -1  !{store}
#ifndef FIXED
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
#endif
  if (rank == 0) print '(a,i2)', 'largest', seen
  deallocate(sent, f%values)
  call MPI_Finalize(ierr)
end program
