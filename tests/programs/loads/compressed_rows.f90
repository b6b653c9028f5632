! A sparse matrix in compressed rows. Each rank multiplies it by a vector in its window, while the
! neighbor puts an element that one of the rows uses. Fixed: an element that no row uses.
! build: flags="-cpp"
! run: ranks=2
! output: sums 40 40
! expect race: put @{put} load @{product}
module sparse
  implicit none
contains
  subroutine multiply(rows, start, column, value, vector, product)
    integer, intent(in) :: rows, start(:), column(:)
    real(8), intent(in) :: value(:), vector(:)
    real(8), intent(out) :: product(:)
    real(8) :: total
    integer :: row, k
    do row = 1, rows
      total = 0
      do k = start(row), start(row + 1) - 1
        total = total + value(k)*vector(column(k)) !{product}
      end do
      product(row) = total
    end do
  end subroutine
end module

program compressed_rows
  use mpi
  use sparse
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: rows = 20
  integer :: ierr, rank, win, row, k, start(rows + 1), column(2*rows)
  real(8) :: value(2*rows), product(rows), one(1), sums(2)
  real(8), pointer :: vector(:)
  integer(MPI_ADDRESS_KIND) :: bytes, where
  type(c_ptr) :: base
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  bytes = 64*8
  call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
  call c_f_pointer(base, vector, [64])
  vector = 1
  ! Rows of 0, 1, 2, 3 and 4 elements: odd columns from 1 to 59.
  start(1) = 1
  do row = 1, rows
    start(row + 1) = start(row) + mod(row, 5)
  end do
  do k = 1, 2*rows
    column(k) = mod(2*k, 60) + 1
  end do
  value = 1
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Win_lock_all(0, win, ierr)
  one = 1
#ifdef FIXED
  where = 9 ! element 10
#else
  where = 8 ! element 9
#endif
  call MPI_Put(one, 1, MPI_DOUBLE_PRECISION, 1 - rank, where, 1, MPI_DOUBLE_PRECISION, win, ierr) !{put}
  call multiply(rows, start, column, value, vector, product)
  call MPI_Win_unlock_all(win, ierr)
  call MPI_Gather(sum(product), 1, MPI_DOUBLE_PRECISION, sums, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0,a,i0)', 'sums ', nint(sums(1)), ' ', nint(sums(2))
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program
