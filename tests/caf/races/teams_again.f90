! Teams that are formed one after the other: a sync all in the last one is a barrier of that team.
program teams_again
  use iso_fortran_env
  implicit none
  type(team_type) :: part
  integer :: x[*], me, turn, seen
  me = this_image()
  x = 0
  seen = 0
  do turn = 1, 3
    sync all
    form team (merge(1, 2, me == 2), part)
    if (me == 2 .and. turn == 3) x[1] = 7  ! race 1
    change team (part)
      sync all
#ifndef FIXED
      if (me == 1 .and. turn == 3) seen = x  ! race 1
#endif
    end team
  end do
  sync all
#ifdef FIXED
  if (me == 1) seen = x
#endif
  if (me == 1) print *, 'done', seen >= 0
end program
