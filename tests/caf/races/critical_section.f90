! An update without critical, while another image makes one with it.
program critical_section
  implicit none
  integer :: x[*]
  x = 0
  sync all
#ifdef FIXED
  critical
    x[1] = x[1] + 1
  end critical
#else
  if (this_image() == 2) x[1] = 1  ! race 1
  if (this_image() == 3) then
    critical
      x[1] = 2  ! race 1
    end critical
  end if
#endif
  sync all
  if (this_image() == 1) print *, 'done', x > 0
end program
