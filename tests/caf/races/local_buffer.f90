! Several gets into one local array: each is complete when the next begins.
program local_buffer
  implicit none
  integer :: x(4)[*], buffer(4), me, i, total
  me = this_image()
  x = me  ! race 1
  total = 0
#ifdef FIXED
  sync all
#endif
  if (me == 1) then
    do i = 2, num_images()
      buffer = x(:)[i]  ! race 1
      total = total + sum(buffer)
    end do
  end if
  sync all
  if (me == 1) print *, 'done', total >= 0
end program
