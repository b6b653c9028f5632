! The event is posted before the write.
! confirm 1: confirmed, harmful
program posted_early
  use iso_fortran_env
  implicit none
  type(event_type) :: ready[*]
  integer :: x[*]
  x = 0
  sync all
  if (this_image() == 1) then
    event post (ready[2])
    x[2] = 7  ! race 1
  else if (this_image() == 2) then
    event wait (ready)
    print *, x  ! race 1
  end if
  sync all
end program
