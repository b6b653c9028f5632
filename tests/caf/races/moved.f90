! move_alloc passes a coarray to another variable; its old variable gets other bounds.
program moved
  implicit none
  type cell
    integer :: a = 3, b = 4
  end type
  type(cell), allocatable :: p(:)[:], q(:)[:]
  allocate (p(5:9)[*])
  call move_alloc(p, q)
  allocate (p(1:2)[*])
  sync all
  if (this_image() == 1) q(7)[2]%b = 4  ! race 1
#ifdef FIXED
  sync all
#endif
  if (this_image() == 2) q(7)%b = 5  ! race 1
  sync all
  if (this_image() == 1) q(7)[2]%b = 6
  sync all
  if (this_image() == 1) print *, 'done'
end program
