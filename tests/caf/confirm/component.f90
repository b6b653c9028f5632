! The memory of a component is another on each image.
! confirm 1: confirmed, harmful
program component
  implicit none
  type box
    real, allocatable :: values(:)
  end type
  type(box) :: b[*]
  allocate (b%values(100 * this_image()))
  b%values = 0
  sync all
  if (this_image() == 1) b[2]%values(150) = 1  ! race 1
  if (this_image() == 2) b%values(150) = 2  ! race 1
  sync all
  if (this_image() == 2) print *, b%values(150)
end program
