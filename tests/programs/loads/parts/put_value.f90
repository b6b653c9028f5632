subroutine put_value(value, one, kind, zero, place, win, ierr)
  implicit none
  include 'mpif.h'
  integer :: value, one, kind, zero, win, ierr
  integer(kind=MPI_ADDRESS_KIND) :: place
  call MPI_Put(value, one, kind, zero, place, one, kind, win, ierr)  !{put}
end subroutine
