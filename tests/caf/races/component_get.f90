! A get of an allocatable component, and a put to it.
program component_get
  implicit none
  type box
    integer :: n
    real, allocatable :: data(:)
  end type
  type(box) :: b[*]
  real :: seen(3)
  integer :: me
  me = this_image()
  allocate (b%data(12))
  b%data = 1
  seen = 1
  sync all
  if (me == 1) seen = b[3]%data(2:6:2)  ! race 1
#ifdef FIXED
  if (me == 2) b[3]%data(1:5:2) = 2.0
#else
  if (me == 2) b[3]%data(4) = 2.0  ! race 1
#endif
  sync all
  if (me == 1) print *, 'done', all(seen > 0)
end program
