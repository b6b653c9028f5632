! deallocate and allocate are barriers; memory that is used again is another coarray.
program reallocated
  implicit none
  integer, allocatable :: x(:)[:]
  integer :: i, me, other
  me = this_image()
  other = merge(2, 1, me == 1)
  do i = 1, 3
    allocate (x(10)[*])
    if (me == i) x(:)[other] = me  ! race 1
#ifdef FIXED
    sync all
#endif
    if (me == 2) x(4:5) = 1  ! race 1
    deallocate (x)
  end do
  if (me == 1) print *, 'done'
end program
