! Images of one team: their number in the team is another one.
program team_members
  use iso_fortran_env
  implicit none
  type(team_type) :: upper
  integer :: x[*], me
  me = this_image()
  x = 0
  sync all
  form team (merge(1, 2, me == 1), upper)
  change team (upper)
    if (me == 2) x[2] = 5  ! race 1
#ifdef FIXED
    sync team (upper)
#endif
    if (me == 3) x = 6  ! race 1
  end team
  sync all
  if (me == 3) print *, 'done', x > 0
end program
