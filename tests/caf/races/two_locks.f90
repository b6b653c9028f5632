! Each image takes a lock of its own instead of a common one.
program two_locks
  use iso_fortran_env
  implicit none
  type(lock_type) :: guard[*]
  integer :: x[*], home
  x = 0
  sync all
#ifdef FIXED
  home = 1
#else
  home = this_image()
#endif
  if (this_image() < 3) then
    lock (guard[home])
    x[3] = x[3] + 1  ! race 1 2 2
    unlock (guard[home])
  end if
  sync all
  if (this_image() == 3) print *, 'done', x > 0
end program
