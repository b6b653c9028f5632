! sync images stands before the put: it orders what precedes it.
program sync_images_early
  implicit none
  integer :: x(3)[*], me
  me = this_image()
  x = 0
  sync all
  if (me == 1) then
#ifdef FIXED
    x(1)[2] = 5
    sync images (2)
#else
    sync images (2)
    x(1)[2] = 5  ! race 1
#endif
  else if (me == 2) then
    sync images (1)
    x(2) = x(1) + 1  ! race 1
  end if
  sync all
  if (me == 2) print *, 'done', x(2) > 0
end program
