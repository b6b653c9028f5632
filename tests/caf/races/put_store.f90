! A put, and a store of the image itself.
program put_store
  implicit none
  integer :: x(10)[*]
  integer :: me
  me = this_image()
  x = 0
  sync all
  if (me == 1) x(5)[2] = 7  ! race 1
#ifdef FIXED
  sync all
#endif
  if (me == 2) x(5) = 8  ! race 1
  sync all
  if (me == 2) print *, 'done', x(5) > 0
end program
