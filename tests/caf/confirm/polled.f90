! The library completes the write before it posts, so the read comes after it. By the language they race.
! confirm 1: not reproduced
program polled
  use iso_fortran_env
  implicit none
  type(event_type) :: ready[*]
  integer :: x[*], count
  x = 0
  sync all
  if (this_image() == 1) then
    x[2] = 7  ! race 1
    event post (ready[2])
  else if (this_image() == 2) then
    count = 0
    do while (count == 0)
      call event_query(ready, count)
    end do
    print *, x  ! race 1
  end if
  sync all
end program
