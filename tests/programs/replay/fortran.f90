! A halo exchange and a wildcard gather in Fortran, with a window that neighbors put to, and a clock.
! run: ranks=4 groups=1;0,3;0-3
program fortran
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: cells = 64, rounds = 20
  integer :: rank, ranks, left, right, round, i
  real(8) :: a(0:cells + 1), b(0:cells + 1), total, started
  real(8), pointer :: halo(:)
  type(c_ptr) :: memory
  type(MPI_Win) :: win
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(4)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  started = MPI_Wtime()
  call MPI_Win_allocate(16_MPI_ADDRESS_KIND * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
  call c_f_pointer(memory, halo, [16])
  halo = 0
  a = 0
  do i = 1, cells
    a(i) = rank * 100 + modulo(i * 7, 13)
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  do round = 1, rounds
    call MPI_Irecv(a(0), 1, MPI_REAL8, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(a(cells + 1), 1, MPI_REAL8, right, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Isend(a(cells), 1, MPI_REAL8, right, 1, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(a(1), 1, MPI_REAL8, left, 2, MPI_COMM_WORLD, requests(4))
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    do i = 1, cells
      b(i) = (a(i - 1) + 2 * a(i) + a(i + 1)) / 4
    end do
    a(1:cells) = b(1:cells)
    call MPI_Win_fence(0, win)
    call MPI_Put(a(cells / 2), 1, MPI_REAL8, right, int(modulo(round, 8), MPI_ADDRESS_KIND), 1, MPI_REAL8, win)
    call MPI_Win_fence(0, win)
    a(1) = a(1) + halo(modulo(round, 8) + 1)
  end do
  total = sum(a(1:cells))
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) then
    do i = 2, ranks
      call MPI_Recv(b(1), 1, MPI_REAL8, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, status)
      print *, "from", status%MPI_SOURCE, b(1)
    end do
  else
    call MPI_Send(a(1), 1, MPI_REAL8, 0, 5, MPI_COMM_WORLD)
  end if
  print *, rank, total, MPI_Wtime() - started
  call MPI_Win_free(win)
  call MPI_Finalize()
end program
