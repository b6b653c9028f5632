! In a team, images have other numbers.
! confirm 1: confirmed, harmful
program in_team
  use iso_fortran_env
  implicit none
  type(team_type) :: group
  integer, allocatable :: x[:]
  integer :: me
  me = this_image()
  form team (merge(1, 2, me > 1), group)
  change team (group)
    allocate (x[*])
    x = 0
    sync all
    if (me == 2) x[2] = 7  ! race 1
    if (me == 3) x = 8  ! race 1
    sync all
    if (me == 3) print *, x
  end team
end program
