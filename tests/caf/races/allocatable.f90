! An allocatable coarray of a subroutine.
program allocatable_program
  implicit none
  call work(5)
  call work(6)
contains
  subroutine work(n)
    integer, intent(in) :: n
    integer, allocatable :: grid(:,:)[:]
    allocate (grid(n, 0:2)[*])
    grid = 0
    sync all
    if (this_image() == 1) grid(3, 1)[2] = 7  ! race 1
#ifdef FIXED
    sync images (*)
#endif
    if (this_image() == 2) grid(3, 1) = 8  ! race 1
    sync all
    if (this_image() == 2) print *, 'done', grid(3, 1) > 0
    deallocate (grid)
  end subroutine
end program
