! Image 1 copies from image 2 to image 3, both of which write.
! confirm 1: confirmed, harmful
! confirm 2: confirmed, harmful
program exchange
  implicit none
  integer :: a(4)[*], b(4)[*]
  a = this_image()
  b = 0
  sync all
  if (this_image() == 1) b(:)[3] = a(:)[2]  ! race 1 2
  if (this_image() == 2) a = 20  ! race 1
  if (this_image() == 3) b = 30  ! race 2
  sync all
  if (this_image() == 3) print *, b
end program
