! A put of a whole array in a loop; the owner reads in between.
program whole_array
  implicit none
  real(8) :: a(100)[*], b(100)
  integer :: step, me
  me = this_image()
  a = 0
  b = me
  sync all
  do step = 1, 5
    if (me == 1) a(:)[2] = b  ! race 1
#ifdef FIXED
    sync all
#endif
    if (me == 2) b = b + a  ! race 1
#ifdef FIXED
    sync all
#endif
  end do
  sync all
  if (me == 2) print *, 'done', b(1) > 0
end program
