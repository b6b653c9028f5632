! Coarrays are initialized before execution begins: the first statements may read them.
module state
  implicit none
  type cell
    integer :: a = 3, b = 4
  end type
  type(cell) :: own[*]
end module
program initialized
  use state
  implicit none
  integer :: x(10)[*] = 5
  integer :: y
  y = 0
  if (this_image() == 1) y = x(3)[2] + own[2]%b
#ifndef FIXED
  if (this_image() == 3) y = x(4)[2]  ! race 1
  if (this_image() == 2) x(4) = 6  ! race 1
#endif
  sync all
  if (this_image() == 1) print *, 'done', y > 0
end program
