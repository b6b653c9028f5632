! A lock that is only taken if it is free; the program must look at the result.
program lock_acquired
  use iso_fortran_env
  implicit none
  type(lock_type) :: guard[*]
  logical :: mine
  integer :: x[*], y[*]
  x = 0
  y = 0
  sync all
  if (this_image() /= 2) then
    mine = .false.
    do while (.not. mine)
      lock (guard[2], acquired_lock=mine)
    end do
    x[2] = this_image()
    unlock (guard[2])
#ifndef FIXED
    y[2] = this_image()  ! race 1 1
#endif
  end if
  sync all
  if (this_image() == 2) print *, 'done', x > 0
end program
