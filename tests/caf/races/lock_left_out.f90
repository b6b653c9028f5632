! One of two updates leaves out the lock.
! try: one critical construct or one lock around all reads and writes of an update
program lock_left_out
  use iso_fortran_env
  implicit none
  type(lock_type) :: guard[*]
  integer :: x[*]
  x = 0
  sync all
  if (this_image() == 1) then
    lock (guard[2])
    x[3] = 1  ! race 1
    unlock (guard[2])
  else if (this_image() == 2) then
#ifdef FIXED
    lock (guard[2])
#endif
    x[3] = 2  ! race 1
#ifdef FIXED
    unlock (guard[2])
#endif
  end if
  sync all
  if (this_image() == 3) print *, 'done', x > 0
end program
