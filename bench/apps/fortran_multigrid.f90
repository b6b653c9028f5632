! V-cycles of a multigrid method in 3-D, divided along z: fortran_multigrid STEPS POINTS
! All levels lie in one array, whose parts are passed as arrays with their own bounds. Neighbors
! exchange planes through buffers while the rank computes the planes inside.
module levels
  use app
  implicit none
  integer, parameter :: most_levels = 8
  integer :: levels_used, n(most_levels), nz(most_levels), at(most_levels)
  integer :: rank, ranks
  real(real64), allocatable :: u(:), v(:), r(:), planes(:, :)
end module

program fortran_multigrid
  use levels
  implicit none
  integer :: steps, points, error, step, level, words
  real(real64) :: started, seconds
  call mpi_init(error)
  steps = argument(1, 10)
  points = argument(2, 64)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
  levels_used = 0
  words = 0
  do level = 1, most_levels
    if (mod(points / 2**(level - 1), 2 * ranks) /= 0) exit
    levels_used = level
    n(level) = points / 2**(level - 1) + 2
    nz(level) = points / 2**(level - 1) / ranks + 2
    at(level) = words + 1
    words = words + n(level) * n(level) * nz(level)
  end do
  if (levels_used == 0) stop 'the points must be a multiple of twice the ranks'
  allocate (u(words), v(words), r(words), planes(n(1) * n(1), 4))
  u = 0
  r = 0
  v = 0
  do step = 1, n(1) * n(1) * nz(1), 97
    v(step) = 1.0_real64 / step
  end do
  started = synchronised_time()
  do step = 1, steps
    call cycle_down_and_up
  end do
  seconds = synchronised_time() - started
  call finish(seconds, checksum_of(u, n(1) * n(1) * nz(1)))
end program

subroutine cycle_down_and_up
  use levels
  implicit none
  integer :: level
  call residual(u(at(1)), v(at(1)), r(at(1)), n(1), nz(1))
  do level = 1, levels_used - 1
    call restrict(r(at(level)), r(at(level + 1)), n(level), nz(level), n(level + 1), nz(level + 1))
  end do
  u(at(levels_used):) = 0
  call smooth(r(at(levels_used)), u(at(levels_used)), n(levels_used), nz(levels_used))
  do level = levels_used - 1, 1, -1
    if (level > 1) u(at(level):at(level + 1) - 1) = 0
    call interpolate(u(at(level + 1)), u(at(level)), n(level + 1), nz(level + 1), n(level), nz(level))
    if (level > 1) then
      call residual(u(at(level)), r(at(level)), r(at(level)), n(level), nz(level))
    else
      call residual(u, v, r, n(1), nz(1))
    end if
    call smooth(r(at(level)), u(at(level)), n(level), nz(level))
  end do
end subroutine

subroutine residual(u, v, r, n, nz)
  use app
  implicit none
  integer, intent(in) :: n, nz
  real(real64) :: u(n, n, nz), v(n, n, nz), r(n, n, nz)
  integer :: requests(4)
  real(real64) :: u1(n), u2(n)
  call begin_exchange(u, n, nz, requests)
  call planes_of(3, nz - 2)
  call end_exchange(u, n, nz, requests)
  call planes_of(2, 2)
  if (nz > 3) call planes_of(nz - 1, nz - 1)

contains

  subroutine planes_of(from, to)
    integer, intent(in) :: from, to
    integer :: i, j, k
    do k = from, to
      do j = 2, n - 1
        do i = 1, n
          u1(i) = u(i, j - 1, k) + u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1)
          u2(i) = u(i, j - 1, k - 1) + u(i, j + 1, k - 1) + u(i, j - 1, k + 1) + u(i, j + 1, k + 1)
        end do
        do i = 2, n - 1
          r(i, j, k) = v(i, j, k) + 8.0_real64 / 3 * u(i, j, k) &
                       - 1.0_real64 / 6 * (u2(i) + u1(i - 1) + u1(i + 1)) &
                       - 1.0_real64 / 12 * (u2(i - 1) + u2(i + 1))
        end do
      end do
    end do
  end subroutine
end subroutine

subroutine smooth(r, u, n, nz)
  use app
  implicit none
  integer, intent(in) :: n, nz
  real(real64) :: r(n, n, nz), u(n, n, nz)
  real(real64) :: r1(n), r2(n)
  integer :: i, j, k, requests(4)
  call begin_exchange(r, n, nz, requests)
  call end_exchange(r, n, nz, requests)
  do k = 2, nz - 1
    do j = 2, n - 1
      do i = 1, n
        r1(i) = r(i, j - 1, k) + r(i, j + 1, k) + r(i, j, k - 1) + r(i, j, k + 1)
        r2(i) = r(i, j - 1, k - 1) + r(i, j + 1, k - 1) + r(i, j - 1, k + 1) + r(i, j + 1, k + 1)
      end do
      do i = 2, n - 1
        u(i, j, k) = u(i, j, k) - 0.2_real64 * r(i, j, k) &
                     - 0.02_real64 * (r(i - 1, j, k) + r(i + 1, j, k) + r1(i)) &
                     - 0.005_real64 * (r2(i) + r1(i - 1) + r1(i + 1))
      end do
    end do
  end do
end subroutine

subroutine restrict(fine, coarse, n, nz, nc, nzc)
  use app
  implicit none
  integer, intent(in) :: n, nz, nc, nzc
  real(real64) :: fine(n, n, nz), coarse(nc, nc, nzc)
  integer :: i, j, k, x, y, z
  do k = 2, nzc - 1
    z = 2 * k - 2
    do j = 2, nc - 1
      y = 2 * j - 2
      do i = 2, nc - 1
        x = 2 * i - 2
        coarse(i, j, k) = 0.5_real64 * fine(x, y, z) + 0.25_real64 * (fine(x + 1, y, z) &
                          + fine(x, y + 1, z) + fine(x, y, z + 1)) + 0.125_real64 * fine(x + 1, y + 1, z + 1)
      end do
    end do
  end do
end subroutine

subroutine interpolate(coarse, fine, nc, nzc, n, nz)
  use app
  implicit none
  integer, intent(in) :: nc, nzc, n, nz
  real(real64) :: coarse(nc, nc, nzc), fine(n, n, nz)
  integer :: i, j, k, x, y, z
  do k = 2, nzc - 1
    z = 2 * k - 2
    do j = 2, nc - 1
      y = 2 * j - 2
      do i = 2, nc - 1
        x = 2 * i - 2
        fine(x, y, z) = fine(x, y, z) + coarse(i, j, k)
        fine(x + 1, y, z) = fine(x + 1, y, z) + 0.5_real64 * (coarse(i, j, k) + coarse(i + 1, j, k))
        fine(x, y + 1, z) = fine(x, y + 1, z) + 0.5_real64 * (coarse(i, j, k) + coarse(i, j + 1, k))
        fine(x, y, z + 1) = fine(x, y, z + 1) + 0.5_real64 * coarse(i, j, k)
      end do
    end do
  end do
end subroutine

subroutine begin_exchange(u, n, nz, requests)
  use levels, only: planes, rank, ranks
  use app
  implicit none
  integer, intent(in) :: n, nz
  real(real64) :: u(n, n, nz)
  integer, intent(out) :: requests(4)
  integer :: error, i, j, low, high
  low = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  high = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  call mpi_irecv(planes(1, 1), n * n, MPI_DOUBLE_PRECISION, low, 1, MPI_COMM_WORLD, requests(1), error)
  call mpi_irecv(planes(1, 2), n * n, MPI_DOUBLE_PRECISION, high, 2, MPI_COMM_WORLD, requests(2), error)
  do j = 1, n
    do i = 1, n
      planes(i + n * (j - 1), 3) = u(i, j, 2)
      planes(i + n * (j - 1), 4) = u(i, j, nz - 1)
    end do
  end do
  call mpi_isend(planes(1, 3), n * n, MPI_DOUBLE_PRECISION, low, 2, MPI_COMM_WORLD, requests(3), error)
  call mpi_isend(planes(1, 4), n * n, MPI_DOUBLE_PRECISION, high, 1, MPI_COMM_WORLD, requests(4), error)
end subroutine

subroutine end_exchange(u, n, nz, requests)
  use levels, only: planes, rank, ranks
  use app
  implicit none
  integer, intent(in) :: n, nz
  real(real64) :: u(n, n, nz)
  integer, intent(inout) :: requests(4)
  integer :: error, i, j
  call mpi_waitall(4, requests, MPI_STATUSES_IGNORE, error)
  do j = 1, n
    do i = 1, n
      if (rank > 0) u(i, j, 1) = planes(i + n * (j - 1), 1)
      if (rank < ranks - 1) u(i, j, nz) = planes(i + n * (j - 1), 2)
    end do
  end do
end subroutine
