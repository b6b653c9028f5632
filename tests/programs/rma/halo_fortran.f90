! Fortran (mpi_f08): ghost cells, put by the neighbors between two fences. The bug: the second half of the exchange, a get of
! what a neighbor is just receiving, is in the same epoch. Fixed: a fence between.
! run: ranks=4
! build: flags="-cpp"
! output: sum 24
! expect race: put @{to_right} get @{look}
program halo
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: cells = 14
  integer :: rank, nranks, left, right, step, seen, total
  integer, pointer, asynchronous :: u(:)
  integer, asynchronous :: look
  type(MPI_Win) :: win
  type(c_ptr) :: base
  integer(kind=MPI_ADDRESS_KIND) :: bytes, first, behind

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks)
  left = modulo(rank - 1, nranks)
  right = modulo(rank + 1, nranks)
  bytes = 4 * (cells + 2)
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, u, [cells + 2])
  u = rank
  first = 0
  behind = cells + 1
  seen = 0
  do step = 1, 2
    call MPI_Win_fence(0, win)
    call MPI_Put(u(2), 1, MPI_INTEGER, left, behind, 1, MPI_INTEGER, win)
    call MPI_Put(u(cells + 1), 1, MPI_INTEGER, right, first, 1, MPI_INTEGER, win)  !{to_right}
#ifdef FIXED
    call MPI_Win_fence(0, win)
#endif
    call MPI_Get(look, 1, MPI_INTEGER, left, first, 1, MPI_INTEGER, win)  !{look}
    call MPI_Win_fence(MPI_MODE_NOSTORE, win)
    seen = seen + look + u(1)
  end do
  call MPI_Reduce(seen, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i3)', 'sum', total
  call MPI_Win_free(win)
  call MPI_Finalize()
end program
