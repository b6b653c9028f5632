! An update without a lock: one of the two is lost, or none.
! confirm 1: confirmed
! confirm 2: confirmed
program lost_update
  implicit none
  integer :: total[*], mine
  total = 0
  sync all
  if (this_image() > 1) then
    mine = total[1]  ! race 1
    total[1] = mine + 10 ** this_image()  ! race 1 2
  end if
  sync all
  if (this_image() == 1) print *, total
end program
