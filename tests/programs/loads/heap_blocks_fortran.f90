! Fortran: reports name an allocatable array by the line that allocates it.
! run: ranks=2
! build: flags="-cpp"
! output: done
! expect race: load @{isend} store @{store}
! expect report buggy: block of 800 bytes allocated in *{allocate}: memory of rank 0 at *
program heap_blocks
  use mpi
  implicit none
  integer :: rank, ierr, request
  real(kind=8), allocatable, asynchronous :: halo(:)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate (halo(100))  !{allocate}
  halo = rank
  if (rank == 0) then
    call MPI_Isend(halo, 8, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, ierr)  !{isend}
#ifdef FIXED
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
#endif
    halo(3) = 7  !{store}
#ifndef FIXED
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
#endif
  else
    call MPI_Recv(halo, 8, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    print '(a)', 'done'
  end if
  deallocate (halo)
  call MPI_Finalize(ierr)
end program
