! Components of a coarray of a derived type. Other components are no race.
program derived_type
  implicit none
  type point
    real :: x, y
    integer :: tag(3)
  end type
  type(point) :: p(4)[*]
  integer :: me
  me = this_image()
  p%x = 0
  p%y = 0
  sync all
  if (me == 1) p(2)[3]%y = 1.0  ! race 1
#ifdef FIXED
  if (me == 2) p(2)[3]%x = 2.0
#else
  if (me == 2) p(2)[3]%y = 2.0  ! race 1
#endif
  if (me == 2) p(2)[3]%tag(3) = 2
  sync all
  if (me == 3) print *, 'done', p(2)%y > 0
end program
