! Two images put to the same element of a third.
program put_put
  implicit none
  integer :: x(4)[*], me
  me = this_image()
  x = 0
  sync all
  if (me == 1) x(2)[3] = 1  ! race 1
#ifdef FIXED
  sync all
#endif
  if (me == 2) x(2)[3] = 2  ! race 1
  sync all
  if (me == 3) print *, 'done', x(2) > 0
end program
