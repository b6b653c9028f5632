! sync all in a team is a barrier of that team only.
program teams
  use iso_fortran_env
  implicit none
  type(team_type) :: half
  integer :: x[*], me, seen
  me = this_image()
  x = 0
  seen = 0
  sync all
  form team (merge(1, 2, me < 3), half)
  if (me == 3) x[1] = 7  ! race 1
  change team (half)
    sync all
#ifndef FIXED
    if (me == 1) seen = x  ! race 1
#endif
  end team
  sync all
#ifdef FIXED
  if (me == 1) seen = x
#endif
  if (me == 1) print *, 'done', seen >= 0
  sync all
end program
