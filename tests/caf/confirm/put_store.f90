! The last write wins.
! confirm 1: confirmed, harmful
program put_store
  implicit none
  integer :: x(10)[*]
  x = 0
  sync all
  if (this_image() == 1) x(5)[2] = 7  ! race 1
  if (this_image() == 2) x(5) = 8  ! race 1
  sync all
  if (this_image() == 2) print *, x(5)
end program
