! Two images post, and the third waits for one of the posts.
program event_count
  use iso_fortran_env
  implicit none
  type(event_type) :: ready[*]
  integer :: x(3)[*], seen
  x = 0
  seen = 0
  sync all
  if (this_image() > 1) then
    x(this_image())[1] = 7  ! race 1
    event post (ready[1])
  else
#ifdef FIXED
    event wait (ready, until_count=2)
#else
    event wait (ready)
#endif
    seen = sum(x)  ! race 1
  end if
  sync all
  if (this_image() == 1) print *, 'done', seen >= 0
end program
