! stop ends the images normally.
program stop_at_end
  implicit none
  integer :: x[*]
  x = 0
  sync all
  if (this_image() == 1) x[2] = 1  ! race 1
#ifdef FIXED
  sync all
#endif
  if (this_image() == 2) x = 2  ! race 1
  if (this_image() == 3) print *, 'done'
  stop
end program
