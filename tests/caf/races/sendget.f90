! From one image to another: image 1 copies from image 2 to image 3.
program sendget
  implicit none
  integer :: x(4)[*], y(4)[*], me
  me = this_image()
  x = me
  y = 0
  sync all
  if (me == 1) y(1:2)[3] = x(3:4)[2]  ! race 1 2
#ifdef FIXED
  sync all
#endif
  if (me == 2) x(4) = 0  ! race 1
  if (me == 3) y(1) = 0  ! race 2
  sync all
  if (me == 3) print *, 'done', y(2) > 0
end program
