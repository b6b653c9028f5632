! The race has many instances. The sum shows in which of them the write came first.
! confirm 1: confirmed, harmful
program many_times
  implicit none
  integer :: x(20)[*], seen, i
  x = 0
  seen = 0
  sync all
  do i = 1, 20
    if (this_image() == 1) x(i)[2] = i  ! race 1
    if (this_image() == 2) seen = seen + x(i)  ! race 1
    sync all
  end do
  if (this_image() == 2) print *, seen
end program
