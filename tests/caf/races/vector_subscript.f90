! Elements that a vector selects.
program vector_subscript
  implicit none
  integer :: x(10)[*], me, seen(3), chosen(3)
  me = this_image()
  x = 1
  seen = 1
  chosen = [2, 9, 4]
  sync all
  if (me == 1) seen = x(chosen)[2]  ! race 1
#ifdef FIXED
  if (me == 2) x(3) = 2
#else
  if (me == 2) x(4) = 2  ! race 1
#endif
  sync all
  if (me == 1) print *, 'done', all(seen > 0)
end program
