! Coarrays of a module, and a dummy argument.
module state
  implicit none
  real :: field(6)[*]
contains
  subroutine shift(part, to)
    real, intent(in) :: part(:)
    integer, intent(in) :: to
    field(4:6)[to] = part  ! race 1
  end subroutine
  subroutine change(f)
    real, intent(inout) :: f(:)[*]
    f(5) = 3.0  ! race 1
  end subroutine
end module
program module_data
  use state
  implicit none
  field = 0
  sync all
  if (this_image() == 1) call shift(field(1:3), 2)
#ifdef FIXED
  sync all
#endif
  if (this_image() == 2) call change(field)
  sync all
  if (this_image() == 2) print *, 'done', field(5) >= 0
end program
