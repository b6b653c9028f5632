! A section with a negative stride.
program backwards
  implicit none
  integer :: x(10)[*], me, values(3)
  me = this_image()
  values = me
  x = 0
  sync all
  if (me == 1) x(9:5:-2)[2] = values  ! race 1
#ifdef FIXED
  if (me == 2) x(6) = 1
#else
  if (me == 2) x(7) = 1  ! race 1
#endif
  sync all
  if (me == 2) print *, 'done', x(9) > 0
end program
