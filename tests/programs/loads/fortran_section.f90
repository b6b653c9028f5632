! Fortran: a nonblocking call gets a section with gaps, and the compiler passes a copy, which is
! gone while the send is pending. Fixed: a datatype with these gaps. A blocking call may get one.
! run: ranks=2
! build: flags="-cpp"
! output: sums *
! expect race: load @{send} store @{send}
program fortran_section
  use mpi
  implicit none
  integer :: rank, ierr, request, row, received(8)
  integer, asynchronous :: grid(4, 8)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  grid = rank
#ifdef FIXED
  call MPI_Type_vector(8, 1, 4, MPI_INTEGER, row, ierr)
  call MPI_Type_commit(row, ierr)
  call MPI_Isend(grid(3, 1), 1, row, 1 - rank, 0, MPI_COMM_WORLD, request, ierr)
#else
  row = MPI_INTEGER
  call MPI_Isend(grid(3, :), 8, row, 1 - rank, 0, MPI_COMM_WORLD, request, ierr)  !{send}
#endif
  call MPI_Recv(received, 8, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_Bcast(grid(1, :), 8, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a, i0)', 'sums ', sum(grid) + sum(received)
  call MPI_Finalize(ierr)
end program
