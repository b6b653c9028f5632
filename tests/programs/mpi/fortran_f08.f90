! Fortran with `use mpi_f08`: calls are recorded once each, with their arguments and call sites.
! run: ranks=3
! output: f08 sum  6
! expect rank all: MPI_Init @*pairs*
! expect rank all: MPI_Comm_split comm=MPI_COMM_WORLD color=1 new=$reverse
! expect define rank all: $reverse uid=$REVERSE group={2,1,0}
! expect rank 2: MPI_Send comm=$reverse to=0 tag=3 reads=*+12(3xMPI_INTEGER) @{send}
! expect rank 0: MPI_Recv comm=$reverse from=ANY tag=3 matched=2 matchedtag=3 bytes=12 writes=*+12(3xMPI_INTEGER)
! expect rank all: MPI_Ibcast comm=MPI_COMM_WORLD root=0 request=$cast
! expect rank all: MPI_Wait requests=[$cast] done=[$cast]
! expect rank all: MPI_Win_allocate newwin=$win
! expect define rank all: $win uid=$WIN flavour=allocate size=64 unit=8
! expect rank 1: MPI_Fetch_and_op win=$win target=0 op=MPI_SUM reads=*+8(1xMPI_DOUBLE_PRECISION) target_updates=+0x8+8(1xMPI_DOUBLE_PRECISION)
! expect rank all: MPI_Allreduce op=MPI_SUM
! expect rank all: MPI_Finalize
! expect count=1 rank all: MPI_Init
! expect count=1 rank all: MPI_Comm_split
! expect count=1 rank all: MPI_Ibcast
! expect count=1 rank all: MPI_Wait
! expect count=1 rank all: MPI_Fetch_and_op
! expect count=1 rank 0: MPI_Recv
! expect count=1 rank 2: MPI_Send
! expect count=13 rank 0,2: *
program pairs
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, numbers(3), total
  type(MPI_Comm) :: reverse
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  type(MPI_Win) :: win
  type(c_ptr) :: base
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place
  double precision :: one, old

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_split(MPI_COMM_WORLD, 1, -rank, reverse)
  numbers = (/ 1, 2, 3 /)
  if (rank == 2) call MPI_Send(numbers, 3, MPI_INTEGER, 2, 3, reverse) !{send}
  if (rank == 0) then
    call MPI_Recv(numbers, 3, MPI_INTEGER, MPI_ANY_SOURCE, 3, reverse, status)
    if (status%MPI_SOURCE /= 0) call MPI_Abort(MPI_COMM_WORLD, 99)
  end if
  call MPI_Ibcast(numbers, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  bytes = 64
  call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call MPI_Win_lock_all(0, win)
  one = 1
  place = 1
  call MPI_Fetch_and_op(one, old, MPI_DOUBLE_PRECISION, 0, place, MPI_SUM, win)
  call MPI_Win_unlock_all(win)
  call MPI_Win_free(win)
  call MPI_Comm_free(reverse)
  call MPI_Allreduce(rank + 1, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i3)', 'f08 sum', total
  call MPI_Finalize()
end program
