! The event is posted before the put.
! try: event post after the write and event wait before the read
program event_order
  use iso_fortran_env
  implicit none
  type(event_type) :: ready[*]
  integer :: x[*], seen
  x = 0
  seen = 0
  sync all
  if (this_image() == 1) then
#ifdef FIXED
    x[2] = 7
    event post (ready[2])
#else
    event post (ready[2])
    x[2] = 7  ! race 1
#endif
  else if (this_image() == 2) then
    event wait (ready)
    seen = x  ! race 1
  end if
  sync all
  if (this_image() == 2) print *, 'done', seen >= 0
end program
