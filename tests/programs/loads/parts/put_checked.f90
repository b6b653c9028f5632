subroutine put_checked(value, one, kind, zero, place, win, ierr)
  implicit none
  include 'mpif.h'
  integer :: value, one, kind, zero, win, ierr
  integer(kind=MPI_ADDRESS_KIND) :: place
  if (place < 0) return
  call put_value(value, one, kind, zero, place, win, ierr)  !{checked}
end subroutine
