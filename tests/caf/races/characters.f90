! Characters of a string.
program characters
  implicit none
  character(len=12) :: line[*]
  line = 'abc'
  sync all
  if (this_image() == 1) line[3] = 'from image 1'  ! race 1
#ifdef FIXED
  sync all
#endif
  if (this_image() == 2) line[3] = 'from image 2'  ! race 1
  sync all
  if (this_image() == 3) print *, 'done ', line
end program
