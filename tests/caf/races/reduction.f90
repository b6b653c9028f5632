! co_sum writes its argument on all images.
program reduction
  implicit none
  integer :: x(3)[*], seen
  x = this_image()
  seen = 0
  sync all
  if (this_image() == 2) seen = x(2)[1]  ! race 1
#ifdef FIXED
  sync all
#endif
  call co_sum(x)  ! race 1
  if (this_image() == 1) x(2) = 0
  sync all
  if (this_image() == 2) print *, 'done', seen > 0
end program
