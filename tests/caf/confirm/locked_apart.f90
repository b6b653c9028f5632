! Each image takes another lock.
! confirm 1: confirmed, harmful
program locked_apart
  use iso_fortran_env
  implicit none
  type(lock_type) :: guard(2)[*]
  integer :: x[*]
  x = 0
  sync all
  if (this_image() < 3) then
    lock (guard(this_image())[1])
    x[3] = this_image()  ! race 1
    unlock (guard(this_image())[1])
  end if
  sync all
  if (this_image() == 3) print *, x
end program
