! A rank puts into another one's window; a thread of that one loads behind the barrier that its
! master calls. Fixed: the thread waits for the master.
! build: flags="-fopenmp -cpp"
! run: ranks=2
! output: done
! expect race: put @{put} load @{load}
program fortran_window
  use mpi
  use omp_lib
  implicit none
  integer :: ierror, provided, rank, win
  integer, save, target :: memory(16)
  integer, save :: mine(16), total
  integer(kind=MPI_ADDRESS_KIND) :: bytes, displacement
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  memory = 0
  bytes = 64
  displacement = 0
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_Win_lock_all(0, win, ierror)
  !$omp parallel num_threads(2)
  !$omp master
  if (rank == 0) then
    call MPI_Put(mine, 16, MPI_INTEGER, 1, displacement, 16, MPI_INTEGER, win, ierror) !{put}
    call MPI_Win_flush(1, win, ierror)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  !$omp end master
#ifdef FIXED
  !$omp barrier
#endif
  if (rank == 1 .and. omp_get_thread_num() == 1) total = memory(7) !{load}
  !$omp end parallel
  call MPI_Win_unlock_all(win, ierror)
  call MPI_Win_free(win, ierror)
  if (total > 1000) print '(a)', 'odd'
  if (rank == 0) print '(a)', 'done'
  call MPI_Finalize(ierror)
end program
