! Images 1 and 2 write to image 3.
! confirm 1: confirmed, harmful
program two_writers
  implicit none
  real, allocatable :: y(:)[:]
  allocate (y(100)[*])
  y = 0
  sync all
  if (this_image() == 1) y(10:30)[3] = 1  ! race 1
  if (this_image() == 2) y(30:60)[3] = 2  ! race 1
  sync all
  if (this_image() == 3) print *, sum(y)
end program
