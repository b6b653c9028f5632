! The event is posted behind the write, but image 2 waits for it only after its read.
! confirm 1: confirmed, harmful
program waited_late
  use iso_fortran_env
  implicit none
  type(event_type) :: ready[*]
  integer :: x[*], seen
  x = 0
  sync all
  if (this_image() == 1) then
    x[2] = 7  ! race 1
    event post (ready[2])
  else if (this_image() == 2) then
    seen = x  ! race 1
    event wait (ready)
    print *, seen
  end if
  sync all
end program
