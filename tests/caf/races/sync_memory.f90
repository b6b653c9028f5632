! sync memory orders nothing between images.
program sync_memory
  implicit none
  integer :: x[*], seen
  x = 0
  seen = 0
  sync all
  if (this_image() == 1) x[2] = 7  ! race 1
#ifdef FIXED
  sync all
#else
  sync memory
#endif
  if (this_image() == 2) seen = x  ! race 1
  sync all
  if (this_image() == 2) print *, 'done', seen >= 0
end program
