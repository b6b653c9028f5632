! Columns and rows of a grid: they cross in a corner.
program halo
  implicit none
  real :: grid(0:5, 0:7)[*]
  integer :: me
  me = this_image()
  grid = 0
  sync all
  if (me == 1) grid(:, 7)[3] = 1.0  ! race 1
#ifdef FIXED
  if (me == 2) grid(5, :6)[3] = 2.0
#else
  if (me == 2) grid(5, :)[3] = 2.0  ! race 1
#endif
  sync all
  if (me == 3) print *, 'done', grid(0, 7) > 0
end program
