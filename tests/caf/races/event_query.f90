! event_query tells that an event was posted. Only event wait orders.
program event_query_program
  use iso_fortran_env
  implicit none
  type(event_type) :: ready[*]
  integer :: x[*], seen, count
  x = 0
  seen = 0
  sync all
  if (this_image() == 1) then
    x[2] = 7  ! race 1
    event post (ready[2])
  else if (this_image() == 2) then
    count = 0
    do while (count == 0)
      call event_query(ready, count)
    end do
#ifdef FIXED
    event wait (ready)
#endif
    seen = x  ! race 1
  end if
  sync all
  if (this_image() == 2) print *, 'done', seen > 0
end program
