! Attributes in Fortran, whose bindings do not call the functions of C.
! run: ranks=3 groups=1;0-2
program attributes
  use mpi
  implicit none
  integer :: rank, win, flavor_win, error, i
  integer(MPI_ADDRESS_KIND) :: bytes, value
  logical :: found
  integer :: memory(16), keys(5), comm_keys(4), old_value
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  bytes = 64
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, error)
  call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, flavor_win, error)
  keys = [MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL, MPI_WIN_BASE]
  do i = 1, 4
    call MPI_Win_get_attr(win, keys(i), value, found, error)
    print *, 'rank', rank, 'created', i, found, value
    call MPI_Win_get_attr(flavor_win, keys(i), value, found, error)
    print *, 'rank', rank, 'dynamic', i, found, value
  end do
  comm_keys = [MPI_TAG_UB, MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE]
  do i = 1, 4
    value = -1
    call MPI_Comm_get_attr(MPI_COMM_WORLD, comm_keys(i), value, found, error)
    print *, 'rank', rank, 'world', i, found, value
    old_value = -1
    call MPI_Attr_get(MPI_COMM_WORLD, comm_keys(i), old_value, found, error)
    print *, 'rank', rank, 'world', i, found, old_value
  end do
  call MPI_Win_free(flavor_win, error)
  call MPI_Win_free(win, error)
  call MPI_Finalize(error)
end program attributes
