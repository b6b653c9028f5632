! Two codimensions: x[2, 1] is image 2.
program codimensions
  implicit none
  integer :: x(2)[2, *], me
  me = this_image()
  x = 0
  sync all
  if (me == 1) x(1)[2, 1] = 4  ! race 1
#ifdef FIXED
  if (me == 3) x(1)[1, 1] = 5
#else
  if (me == 3) x(1)[2, 1] = 5  ! race 1
#endif
  sync all
  if (me == 2) print *, 'done', x(1) > 0
end program
