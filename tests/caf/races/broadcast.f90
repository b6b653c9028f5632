! co_broadcast orders its source before the others, not the others before the source.
program broadcast
  implicit none
  integer :: x[*], y
  x = 0
  y = this_image()
  sync all
#ifdef FIXED
  if (this_image() == 1) x[3] = 5
#else
  if (this_image() == 2) x[3] = 5  ! race 1
#endif
  call co_broadcast(y, source_image=1)
  if (this_image() == 3) y = x  ! race 1
  sync all
  if (this_image() == 3) print *, 'done', y >= 0
end program
