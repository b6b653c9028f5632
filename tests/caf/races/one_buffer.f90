! Image 1 gets parts of the others into one buffer, which another image reads too early.
program one_buffer
  implicit none
  integer :: buffer(4)[*], mine(4)[*], me, i, seen
  me = this_image()
  buffer = 0
  mine = me
  seen = 0
  sync all
  if (me == 1) then
    do i = 2, num_images()
      buffer(:) = mine(:)[i]  ! race 1
#ifdef FIXED
      sync images (i)
      sync images (i)
#endif
    end do
  else
#ifdef FIXED
    sync images (1)
#endif
    seen = buffer(2)[1]  ! race 1
#ifdef FIXED
    sync images (1)
#endif
  end if
  sync all
  if (me == 2) print *, 'done', seen >= 0
end program
