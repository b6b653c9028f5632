! An atomic, and a get of the same integer.
! try: an atomic subroutine for the read, too
program atomic_and_plain
  use iso_fortran_env
  implicit none
  integer(atomic_int_kind) :: x[*], seen
  x = 0
  seen = 0
  sync all
  if (this_image() == 1) call atomic_define(x[3], 4)  ! race 1
#ifdef FIXED
  if (this_image() == 2) call atomic_ref(seen, x[3])
#else
  if (this_image() == 2) seen = x[3]  ! race 1
#endif
  call atomic_add(x[2], 1)
  sync all
  if (this_image() == 2) print *, 'done', x == num_images()
end program
