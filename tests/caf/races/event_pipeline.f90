! A pipeline: each image passes its value on. Its successor must not overwrite the value before it is read.
program event_pipeline
  use iso_fortran_env
  implicit none
  type(event_type) :: filled[*], free[*]
  integer :: slot[*], i, me, n, value
  me = this_image()
  n = num_images()
  slot = 0
  value = 0
  sync all
  do i = 1, 4
    if (me > 1) then
      event wait (filled)
      value = slot  ! race 1
#ifdef FIXED
      event post (free[me - 1])
#endif
    else
      value = i
    end if
    if (me < n) then
#ifdef FIXED
      if (i > 1) event wait (free)
#endif
      slot[me + 1] = value  ! race 1
      event post (filled[me + 1])
    end if
  end do
  sync all
  if (me == n) print *, 'done', value >= 0
end program
