! The library of gfortran accesses static coarrays that it gets by descriptor: output, matmul,
! random numbers, input.
program library
  implicit none
  integer :: printed(2)[*], input(3)[*], unit
  real :: product(2, 2)[*], random(4)[*], one(2, 2)
  character(40) :: text
  printed = 0
  input = 0
  product = 0
  random = 0
  one = 1
  write (text, *) 1, 2, 3
  open (newunit=unit, status='scratch')
  write (unit, '(a)') text
  rewind (unit)
  sync all
  if (this_image() == 1) then
    printed(1)[2] = 5  ! race 1
    input(2)[2] = 4  ! race 2
    product(1, 2)[2] = 3  ! race 3
    random(3)[2] = 2  ! race 4
  end if
#ifdef FIXED
  sync all
#endif
  if (this_image() == 2) then
    write (text, *) printed  ! race 1
    read (unit, *) input  ! race 2
    product = matmul(one, one)  ! race 3
    call random_number(random)  ! race 4
  end if
  sync all
  if (this_image() == 2) print *, 'done', input(3), product(1, 1) > 1
end program
