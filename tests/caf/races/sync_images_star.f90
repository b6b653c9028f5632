! Image 1 collects with sync images (*); the others wait for image 1 only, not for each other.
program sync_images_star
  implicit none
  integer :: part(8)[*], me, total
  me = this_image()
  part = 0
  sync all
  part(me)[1] = me
  if (me == 1) then
    sync images (*)
    total = sum(part(1:num_images()))
  else
    sync images (1)
#ifndef FIXED
    part(8)[2] = me  ! race 1 1
#endif
    total = 1
  end if
  sync all
  if (me == 1) print *, 'done', total == num_images() * (num_images() + 1) / 2
end program
