! Both write the same value.
! confirm 1: confirmed, same outcome
program equal_values
  implicit none
  integer :: flag[*]
  flag = 0
  sync all
  if (this_image() < 3) flag[3] = 1  ! race 1
  sync all
  if (this_image() == 3) print *, flag
end program
