! Fortran with `use mpi`: calls reach the library by other names, and are recorded once each.
! run: ranks=3
! output: fortran sum  3
! expect rank all: MPI_Init @*ring*
! expect rank all: MPI_Irecv comm=MPI_COMM_WORLD tag=7 request=$in writes=$x+16(2xMPI_DOUBLE_PRECISION) @{irecv}
! expect rank 0: MPI_Send to=1 tag=7 reads=*+16(2xMPI_DOUBLE_PRECISION) @exchange*<*ring*
! expect rank 1: MPI_Wait requests=[$in] done=[$in:from=0,tag=7,bytes=16]
! expect rank all: MPI_Type_vector newtype=$every
! expect define rank all: $every size=8 map={+0:4x2/8} element=MPI_INTEGER
! expect rank all: MPI_Win_create newwin=$win
! expect define rank all: $win uid=$WIN flavour=create size=40 unit=4
! expect rank all: MPI_Win_fence win=$win
! expect rank 2: MPI_Put win=$win target=0 reads=*+8(2xMPI_INTEGER) target_writes=+0x4{+0:4x2/8}(1x$every)
! expect rank all: MPI_Allreduce op=MPI_SUM updates=*+4(1xMPI_INTEGER)
! expect rank all: MPI_Reduce root=1 op=MPI_MAX
! expect rank all: MPI_Waitall requests=[0;0]
! expect rank all: MPI_Finalize
! expect count=1 rank all: MPI_Init
! expect count=1 rank all: MPI_Irecv
! expect count=1 rank all: MPI_Send
! expect count=1 rank all: MPI_Wait
! expect count=1 rank all: MPI_Allreduce
! expect count=1 rank all: MPI_Put
! expect count=2 rank all: MPI_Win_fence
! expect count=16 rank all: *
program ring
  use mpi
  implicit none
  integer :: rank, nranks, code, every, win, total, largest
  integer :: two(2), nothing(2)
  integer, allocatable, asynchronous :: memory(:)
  integer(kind=mpi_address_kind) :: bytes, place

  call mpi_init(code)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, code)
  call mpi_comm_size(MPI_COMM_WORLD, nranks, code)
  call exchange()

  call mpi_type_vector(2, 1, 2, MPI_INTEGER, every, code)
  call mpi_type_commit(every, code)
  allocate(memory(10))
  memory = 0
  bytes = 40
  call mpi_win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, code)
  call mpi_win_fence(0, win, code)
  two = (/ 1, 2 /)
  place = 1
  call mpi_put(two, 2, MPI_INTEGER, mod(rank + 1, nranks), place, 1, every, win, code)
  call mpi_win_fence(0, win, code)
  if (memory(2) /= 1 .or. memory(4) /= 2) call mpi_abort(MPI_COMM_WORLD, 99, code)
  call mpi_win_free(win, code)
  call mpi_type_free(every, code)

  total = rank
  call mpi_allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  call mpi_reduce(rank, largest, 1, MPI_INTEGER, MPI_MAX, 1, MPI_COMM_WORLD, code)
  nothing = MPI_REQUEST_NULL
  call mpi_waitall(2, nothing, MPI_STATUSES_IGNORE, code)
  if (rank == 0) print '(a,i3)', 'fortran sum', total
  call mpi_finalize(code)

contains
  subroutine exchange()
    double precision :: x(2), y(2)
    integer :: request
    y = rank
    call mpi_irecv(x, 2, MPI_DOUBLE_PRECISION, mod(rank + nranks - 1, nranks), 7, MPI_COMM_WORLD, request, code) !{irecv}
    call mpi_send(y, 2, MPI_DOUBLE_PRECISION, mod(rank + 1, nranks), 7, MPI_COMM_WORLD, code)
    call mpi_wait(request, MPI_STATUS_IGNORE, code)
  end subroutine
end program
