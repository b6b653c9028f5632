! A get, and a store of the image itself. Elements that differ are no race.
! try: Try: sync all between the read and the write
program get_store
  implicit none
  integer :: x(4)[*], me, seen
  me = this_image()
  x = me
  sync all
  seen = 0
  if (me == 1) seen = x(1)[2]  ! race 1
#ifdef FIXED
  sync all
#endif
  if (me == 2) x(1) = 8  ! race 1
  if (me == 2) x(2) = 9
  sync all
  if (me == 1) print *, 'done', seen > 0
end program
