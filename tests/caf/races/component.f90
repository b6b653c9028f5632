! An allocatable component: each image has another size.
program component
  implicit none
  type box
    integer :: n
    real, allocatable :: data(:)
  end type
  type(box) :: b[*]
  integer :: me
  me = this_image()
  allocate (b%data(10 * me))
  b%data = 0
  b%n = 10 * me
  sync all
  if (me == 1) b[2]%data(15) = 1.0  ! race 1
#ifdef FIXED
  sync all
#endif
  if (me == 2) b%data(15) = 2.0  ! race 1
  sync all
  if (me == 2) print *, 'done', b%data(15) > 0
end program
