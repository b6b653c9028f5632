! Small sends complete at once, and a library may use one handle for all; Fortran bindings may copy it to a variable of their own. Each wait must still name the request
! that the program means: the one in that INTEGER. (As a library with several send buffers that tests each separately.)
! run: ranks=2
! output: all there
! expect rank 0: MPI_Isend to=1 tag=1 request=1
! expect rank 0: MPI_Isend to=1 tag=2 request=2
! expect rank 0: MPI_Isend to=1 tag=3 request=3
! expect rank 0: MPI_Isend to=1 tag=4 request=4
! expect rank 0: MPI_Wait requests=[2] done=[2]
! expect rank 0: MPI_Waitall requests=[4;3] done=[4;3]
! expect rank 0: MPI_Wait requests=[1] done=[1]
program shared_handles
  use mpi
  implicit none
  integer, asynchronous :: numbers(4)
  integer :: rank, code, i, place, single(2), several(2)
  character, asynchronous :: packed(4)

  call mpi_init(code)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, code)
  numbers = (/ 1, 2, 3, 4 /)
  place = 0
  call mpi_pack(numbers(2), 1, MPI_INTEGER, packed, 4, place, MPI_COMM_WORLD, code)
  if (rank == 0) then
    call mpi_isend(numbers(1), 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, single(1), code)
    call mpi_isend(packed, 4, MPI_PACKED, 1, 2, MPI_COMM_WORLD, single(2), code)
    call mpi_isend(numbers(3), 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, several(2), code)
    call mpi_isend(numbers(4), 1, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, several(1), code)
    call mpi_wait(single(2), MPI_STATUS_IGNORE, code)
    place = 0
    call mpi_pack(numbers(3), 1, MPI_INTEGER, packed, 4, place, MPI_COMM_WORLD, code)  ! its own send is complete, independent of the others
    call mpi_waitall(2, several, MPI_STATUSES_IGNORE, code)
    call mpi_wait(single(1), MPI_STATUS_IGNORE, code)
    print '(a)', 'all there'
  else
    do i = 1, 4
      call mpi_recv(place, 4, MPI_PACKED, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    end do
  end if
  call mpi_finalize(code)
end program
