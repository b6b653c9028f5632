! The last image to add itself may read what the others have put.
program atomic_ticket
  use iso_fortran_env
  implicit none
  integer(atomic_int_kind) :: arrived[*], before
  integer :: part(8)[*], total
  arrived = 0
  part = 0
  total = 0
  sync all
#ifdef FIXED
  part(this_image())[1] = 1
  sync memory
  call atomic_fetch_add(arrived[1], 1, before)
  sync memory
  if (before == num_images() - 1) total = sum(part(:)[1])
#else
  part(this_image())[1] = 1  ! race 1
  if (this_image() == 2) total = sum(part(:)[1])  ! race 1
#endif
  sync all
  call co_sum(total)
  if (this_image() == 1) print *, 'done', total > 0
end program
