! Strided sections: odd and even elements are apart.
program strided
  implicit none
  integer :: x(20)[*], me, odd(10)
  me = this_image()
  odd = me
  x = 0
  sync all
  if (me == 1) x(1:19:2)[3] = odd  ! race 1
#ifdef FIXED
  if (me == 2) x(2:20:2)[3] = odd
#else
  if (me == 2) x(2:20:3)[3] = odd(1:7)  ! race 1
#endif
  sync all
  if (me == 3) print *, 'done', x(3) > 0
end program
