! Fortran (mpi_f08): arrays and sections that flang passes to its runtime library: an assignment with reallocation, a sum, a matrix
! product and a print, all of pending buffers. Fixed: waits come first.
! run: ranks=2
! build: flags="-cpp"
! output: total 15
! output buggy: total *
! expect race: store @{receive_a} load @{sum}
! expect race: store @{receive_b} load @{product}
! expect race: store @{receive_c} load @{print}
! expect race: load @{send} store @{assign}
program whole
  use mpi_f08
  implicit none
  integer :: rank, i, total
  integer, allocatable, asynchronous :: a(:), b(:, :), c(:), sent(:)
  integer, allocatable :: more(:), squares(:, :)
  type(MPI_Request) :: requests(6)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  sent = [(i, i = 1, 9)]
  allocate(a(5), b(3, 3), c(4), more(9))
  a = 0
  b = 0
  c = 0
  more = 7
  call MPI_Irecv(a, 5, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(1))  !{receive_a}
  call MPI_Irecv(b, 9, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(2))  !{receive_b}
  call MPI_Irecv(c, 4, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD, requests(3))  !{receive_c}
  call MPI_Isend(sent, 5, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(4))
  call MPI_Isend(sent, 9, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(5))  !{send}
  call MPI_Isend(sent, 4, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD, requests(6))
#ifdef FIXED
  call MPI_Waitall(6, requests, MPI_STATUSES_IGNORE)
#endif
  total = sum(a)  !{sum}
  squares = matmul(b, transpose(reshape(more, [3, 3])))  !{product}
  print '(a,4i4)', 'first', c  !{print}
  sent(6:9) = more(1:4)  !{assign}
#ifndef FIXED
  call MPI_Waitall(6, requests, MPI_STATUSES_IGNORE)
#endif
  if (rank == 0) print '(a,i3)', 'total', total
  if (squares(1, 1) < 0) print *, 'never'
  call MPI_Finalize()
end program
