! Each image reads what its neighbor has stored.
program missing_sync
  implicit none
  real :: value[*]
  real :: sum
  integer :: next
  next = merge(1, this_image() + 1, this_image() == num_images())
  value = real(this_image())  ! race 1
#ifdef FIXED
  sync all
#endif
  sum = value[next]  ! race 1
  sync all
  value = sum
  sync all
  if (this_image() == 1) print *, 'done', value > 0
end program
