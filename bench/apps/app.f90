! Shared by the Fortran applications: arguments, the time, and the output for bench/apps/run.
module app
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  include 'mpif.h'

  interface
    integer(c_int) function getrusage(who, usage) bind(C)
      import
      integer(c_int), value :: who
      integer(c_long), intent(out) :: usage(18)
    end function
  end interface

contains

  integer function argument(index, otherwise)
    integer, intent(in) :: index, otherwise
    character(len=32) :: text
    argument = otherwise
    if (command_argument_count() < index) return
    call get_command_argument(index, text)
    read (text, *) argument
  end function

  real(real64) function synchronised_time()
    integer :: error
    call mpi_barrier(MPI_COMM_WORLD, error)
    synchronised_time = mpi_wtime()
  end function

  ! Of the bits of all values, in their order.
  integer(int64) function checksum_of(values, count)
    integer, intent(in) :: count
    real(real64), intent(in) :: values(count)
    integer :: i
    checksum_of = 0
    do i = 1, count
      checksum_of = ieor(ishftc(checksum_of, 7), transfer(values(i), checksum_of))
    end do
  end function

  ! Finalizes MPI. Each rank prints its memory peak last, so that it includes MPI_Finalize.
  subroutine finish(seconds, part_of_checksum)
    real(real64), intent(in) :: seconds
    integer(int64), intent(in) :: part_of_checksum
    integer(int64) :: checksum
    integer(c_long) :: usage(18)
    integer :: rank, error
    call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
    call mpi_reduce(part_of_checksum, checksum, 1, MPI_INTEGER8, MPI_BXOR, 0, MPI_COMM_WORLD, error)
    if (rank == 0) then
      print '(a, f0.6)', 'seconds ', seconds
      print '(a, z16.16)', 'checksum ', checksum
    end if
    call mpi_finalize(error)
    error = getrusage(0_c_int, usage)  ! ru_maxrss follows two times of two words each
    print '(a, i0)', 'rss_kb ', usage(5)
  end subroutine
end module
