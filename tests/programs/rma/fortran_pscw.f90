! Correct, in Fortran (mpi_f08): ghost cells with post, start, complete, wait, then a sum with accumulates under exclusive and
! shared locks.
! run: ranks=3
! output: ghosts right, sum   6
! expect no race
program pscw
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, nranks, left, right, step, sum_here, one
  integer, pointer, asynchronous :: u(:)
  type(MPI_Win) :: win
  type(MPI_Group) :: world, around
  type(c_ptr) :: base
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks)
  left = modulo(rank - 1, nranks)
  right = modulo(rank + 1, nranks)
  bytes = 64
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, u, [16])
  u = 0
  call MPI_Comm_group(MPI_COMM_WORLD, world)
  call MPI_Group_incl(world, 2, [left, right], around)
  do step = 1, 3
    u(2) = 10 * step + rank
    call MPI_Win_post(around, 0, win)
    call MPI_Win_start(around, 0, win)
    place = 2
    call MPI_Put(u(2), 1, MPI_INTEGER, left, place, 1, MPI_INTEGER, win)
    place = 0
    call MPI_Put(u(2), 1, MPI_INTEGER, right, place, 1, MPI_INTEGER, win)
    call MPI_Win_complete(win)
    call MPI_Win_wait(win)
    if (u(1) /= 10 * step + left .or. u(3) /= 10 * step + right) call MPI_Abort(MPI_COMM_WORLD, 3)
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  place = 8
  one = rank + 1
  call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)
  call MPI_Accumulate(one, 1, MPI_INTEGER, 0, place, 1, MPI_INTEGER, MPI_SUM, win)
  call MPI_Win_unlock(0, win)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win)
  call MPI_Get(sum_here, 1, MPI_INTEGER, 0, place, 1, MPI_INTEGER, win)
  call MPI_Win_unlock(0, win)
  if (rank == 2) print '(a,i4)', 'ghosts right, sum', sum_here
  call MPI_Group_free(around)
  call MPI_Group_free(world)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program
