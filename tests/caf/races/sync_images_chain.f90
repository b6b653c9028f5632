! Image 3 waits for image 2 only, which need not have waited for image 1 before.
program sync_images_chain
  implicit none
  integer :: x[*], seen
  x = 0
  seen = 0
  sync all
  select case (this_image())
  case (1)
    x[3] = 7  ! race 1
    sync images (2)
  case (2)
#ifdef FIXED
    sync images (1)
    sync images (3)
#else
    sync images ([1, 3])
#endif
  case (3)
    sync images (2)
    seen = x  ! race 1
  end select
  sync all
  if (this_image() == 3) print *, 'done', seen >= 0
end program
