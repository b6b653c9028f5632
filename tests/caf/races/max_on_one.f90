! co_max with result_image orders all images before that one.
program max_on_one
  implicit none
  integer :: x[*], y, seen
  x = 0
  y = this_image()
  seen = 0
  sync all
  if (this_image() == 2) x[1] = 5  ! race 1
#ifdef FIXED
  call co_max(y, result_image=1)
#else
  call co_max(y, result_image=3)
#endif
  if (this_image() == 1) seen = x  ! race 1
  sync all
  if (this_image() == 1) print *, 'done', seen >= 0
end program
