! The program fails if the write comes first. In the checked run it comes later.
! confirm 1: confirmed, harmful
program crash
  implicit none
  integer :: count[*], seen
  count = 0
  sync all
  if (this_image() == 1) then
    call compute_for_a_while
    count[2] = 3  ! race 1
  end if
  if (this_image() == 2) then
    seen = count  ! race 1
    if (seen == 3) error stop 5
  end if
  sync all
  if (this_image() == 2) print *, seen
contains
  subroutine compute_for_a_while
    integer(8) :: begin, now, rate
    call system_clock(begin, rate)
    do
      call system_clock(now)
      if (now - begin > rate / 4) exit
    end do
  end subroutine
end program
