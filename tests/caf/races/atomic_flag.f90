! A flag that is set before or after the put.
program atomic_flag
  use iso_fortran_env
  implicit none
  integer(atomic_int_kind) :: flag[*], seen
  integer :: x[*], value
  flag = 0
  x = 0
  value = 0
  sync all
  if (this_image() == 1) then
#ifdef FIXED
    x[2] = 7
    sync memory
    call atomic_define(flag[2], 1)
#else
    call atomic_define(flag[2], 1)
    sync memory
    x[2] = 7  ! race 1
#endif
  else if (this_image() == 2) then
    seen = 0
    do while (seen == 0)
      call atomic_ref(seen, flag)
    end do
    sync memory
    value = x  ! race 1
  end if
  sync all
  if (this_image() == 2) print *, 'done', value >= 0
end program
