! A solver for lines of 5 x 5 blocks, pipelined over the ranks: fortran_blocks STEPS POINTS
! The grid is divided along x. Each rank receives the last blocks of its left neighbor while it
! computes the Jacobians and the left-hand side of its own cells, then eliminates and sends on.
module grid
  use app
  implicit none
  integer, parameter :: most = 66
  integer :: nx, ny, nz
  real(real64) :: u(5, 0:most, most, most), rhs(5, 0:most, most, most)
  real(real64) :: fjac(5, 5, 0:most), njac(5, 5, 0:most), lhs(5, 5, 3, 0:most)
  real(real64) :: c_last(5, 5, most, most), r_last(5, most, most)
  real(real64) :: in_buffer(30, most, most), out_buffer(30, most, most)
  common /fields/ u, rhs
  common /work_lhs/ fjac, njac, lhs
  common /last/ c_last, r_last
  common /buffers/ in_buffer, out_buffer
end module

program fortran_blocks
  use grid
  implicit none
  integer :: steps, points, rank, ranks, error, step, i, j, k, m
  real(real64) :: started, seconds
  call mpi_init(error)
  steps = argument(1, 10)
  points = argument(2, 32)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
  ny = min(points, most)
  nz = min(points, most)
  nx = min(max(2, 2 * points / ranks), most - 1)
  do k = 1, nz
    do j = 1, ny
      do i = 0, nx
        do m = 1, 5
          u(m, i, j, k) = 1.0_real64 + 0.01_real64 * mod(m + 3 * (i + nx * rank) + 5 * j + 7 * k, 11)
        end do
      end do
    end do
  end do
  started = synchronised_time()
  do step = 1, steps
    call compute_rhs
    call x_solve(rank, ranks)
    call add
  end do
  seconds = synchronised_time() - started
  call finish(seconds, checksum_of(u(:, 1:nx, 1, 1), 5 * nx))
end program

subroutine compute_rhs
  use grid
  implicit none
  integer :: i, j, k, m
  real(real64) :: inverse
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        inverse = 1.0_real64 / u(1, i, j, k)
        do m = 1, 5
          rhs(m, i, j, k) = 0.1_real64 * (u(m, i - 1, j, k) - u(m, i, j, k)) &
                            + 0.01_real64 * u(m, i, j, k) * inverse
        end do
      end do
    end do
  end do
  do k = 2, nz - 1
    do j = 2, ny - 1
      do i = 1, nx
        do m = 1, 5
          rhs(m, i, j, k) = rhs(m, i, j, k) + 0.05_real64 * (u(m, i, j - 1, k) + u(m, i, j + 1, k) &
                            + u(m, i, j, k - 1) + u(m, i, j, k + 1) - 4 * u(m, i, j, k))
        end do
      end do
    end do
  end do
end subroutine

subroutine add
  use grid
  implicit none
  integer :: i, j, k, m
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        do m = 1, 5
          u(m, i, j, k) = u(m, i, j, k) + 0.1_real64 * rhs(m, i, j, k)
        end do
      end do
    end do
  end do
end subroutine

subroutine x_solve(rank, ranks)
  use grid
  implicit none
  integer, intent(in) :: rank, ranks
  integer :: error, receive, send, j, k
  receive = MPI_REQUEST_NULL
  send = MPI_REQUEST_NULL
  if (rank > 0) call mpi_irecv(in_buffer, 30 * most * nz, MPI_DOUBLE_PRECISION, rank - 1, 7, &
                               MPI_COMM_WORLD, receive, error)
  ! The first plane's left-hand side overlaps the message.
  call jacobians(1, 1)
  if (rank > 0) then
    call mpi_wait(receive, MPI_STATUS_IGNORE, error)
    call unpack
  else
    c_last = 0
    r_last = 0
  end if
  if (rank > 0) call mpi_irecv(in_buffer, 1, MPI_DOUBLE_PRECISION, rank - 1, 8, MPI_COMM_WORLD, &
                               receive, error)
  do k = 1, nz
    do j = 1, ny
      call jacobians(j, k)
      call eliminate(j, k)
    end do
  end do
  call pack
  if (rank < ranks - 1) then
    call mpi_isend(out_buffer, 30 * most * nz, MPI_DOUBLE_PRECISION, rank + 1, 7, MPI_COMM_WORLD, &
                   send, error)
    call mpi_send(lhs, 1, MPI_DOUBLE_PRECISION, rank + 1, 8, MPI_COMM_WORLD, error)
  end if
  call mpi_wait(receive, MPI_STATUS_IGNORE, error)
  call mpi_wait(send, MPI_STATUS_IGNORE, error)
end subroutine

subroutine unpack
  use grid
  implicit none
  integer :: j, k, m, n
  do k = 1, nz
    do j = 1, ny
      do n = 1, 5
        do m = 1, 5
          c_last(m, n, j, k) = in_buffer(m + 5 * (n - 1), j, k)
        end do
        r_last(n, j, k) = in_buffer(25 + n, j, k)
      end do
    end do
  end do
end subroutine

subroutine pack
  use grid
  implicit none
  integer :: j, k, m, n
  do k = 1, nz
    do j = 1, ny
      do n = 1, 5
        do m = 1, 5
          out_buffer(m + 5 * (n - 1), j, k) = c_last(m, n, j, k)
        end do
        out_buffer(25 + n, j, k) = r_last(n, j, k)
      end do
    end do
  end do
end subroutine

subroutine jacobians(j, k)
  use grid
  implicit none
  integer, intent(in) :: j, k
  integer :: i, m, n
  real(real64) :: t1, t2, square
  do i = 0, nx
    t1 = 1.0_real64 / u(1, i, j, k)
    t2 = t1 * t1
    square = 0.5_real64 * (u(2, i, j, k)**2 + u(3, i, j, k)**2 + u(4, i, j, k)**2) * t2
    fjac(1, 1, i) = 0
    fjac(1, 2, i) = 1
    fjac(1, 3, i) = 0
    fjac(1, 4, i) = 0
    fjac(1, 5, i) = 0
    fjac(2, 1, i) = -(u(2, i, j, k) * t2 * u(2, i, j, k)) + 0.4_real64 * square
    fjac(2, 2, i) = 1.6_real64 * u(2, i, j, k) * t1
    fjac(2, 3, i) = -0.4_real64 * u(3, i, j, k) * t1
    fjac(2, 4, i) = -0.4_real64 * u(4, i, j, k) * t1
    fjac(2, 5, i) = 0.4_real64
    fjac(3, 1, i) = -(u(2, i, j, k) * u(3, i, j, k)) * t2
    fjac(3, 2, i) = u(3, i, j, k) * t1
    fjac(3, 3, i) = u(2, i, j, k) * t1
    fjac(3, 4, i) = 0
    fjac(3, 5, i) = 0
    fjac(4, 1, i) = -(u(2, i, j, k) * u(4, i, j, k)) * t2
    fjac(4, 2, i) = u(4, i, j, k) * t1
    fjac(4, 3, i) = 0
    fjac(4, 4, i) = u(2, i, j, k) * t1
    fjac(4, 5, i) = 0
    fjac(5, 1, i) = (0.8_real64 * square - 1.4_real64 * u(5, i, j, k) * t1) * u(2, i, j, k) * t1
    fjac(5, 2, i) = 1.4_real64 * u(5, i, j, k) * t1 - 0.4_real64 * (u(2, i, j, k)**2 * t2 + square)
    fjac(5, 3, i) = -0.4_real64 * (u(3, i, j, k) * u(2, i, j, k)) * t2
    fjac(5, 4, i) = -0.4_real64 * (u(4, i, j, k) * u(2, i, j, k)) * t2
    fjac(5, 5, i) = 1.4_real64 * u(2, i, j, k) * t1
    njac(:, :, i) = 0
    njac(2, 1, i) = -1.3_real64 * t2 * u(2, i, j, k)
    njac(2, 2, i) = 1.3_real64 * t1
    njac(3, 1, i) = -1.1_real64 * t2 * u(3, i, j, k)
    njac(3, 3, i) = 1.1_real64 * t1
    njac(4, 1, i) = -1.1_real64 * t2 * u(4, i, j, k)
    njac(4, 4, i) = 1.1_real64 * t1
    njac(5, 1, i) = -t2 * u(5, i, j, k)
    njac(5, 5, i) = 1.2_real64 * t1
  end do
  do i = 1, nx - 1
    do n = 1, 5
      do m = 1, 5
        lhs(m, n, 1, i) = -0.01_real64 * fjac(m, n, i - 1) - 0.02_real64 * njac(m, n, i - 1)
        lhs(m, n, 2, i) = 0.04_real64 * njac(m, n, i)
        lhs(m, n, 3, i) = 0.01_real64 * fjac(m, n, i + 1) - 0.02_real64 * njac(m, n, i + 1)
      end do
      lhs(n, n, 1, i) = lhs(n, n, 1, i) - 0.1_real64
      lhs(n, n, 2, i) = lhs(n, n, 2, i) + 1.5_real64
      lhs(n, n, 3, i) = lhs(n, n, 3, i) - 0.1_real64
    end do
  end do
  lhs(:, :, :, nx) = lhs(:, :, :, nx - 1)
end subroutine

subroutine eliminate(j, k)
  use grid
  implicit none
  integer, intent(in) :: j, k
  integer :: i
  lhs(:, :, 3, 0) = c_last(:, :, j, k)
  rhs(:, 0, j, k) = r_last(:, j, k)
  do i = 1, nx
    call matvec_sub(lhs(1, 1, 1, i), rhs(1, i - 1, j, k), rhs(1, i, j, k))
    call matmul_sub(lhs(1, 1, 1, i), lhs(1, 1, 3, i - 1), lhs(1, 1, 2, i))
    call binvcrhs(lhs(1, 1, 2, i), lhs(1, 1, 3, i), rhs(1, i, j, k))
  end do
  c_last(:, :, j, k) = lhs(:, :, 3, nx)
  r_last(:, j, k) = rhs(:, nx, j, k)
end subroutine

subroutine matvec_sub(block, vector, result)
  use app
  implicit none
  real(real64) :: block(5, 5), vector(5), result(5)
  integer :: i
  do i = 1, 5
    result(i) = result(i) - block(i, 1) * vector(1) - block(i, 2) * vector(2) &
                - block(i, 3) * vector(3) - block(i, 4) * vector(4) - block(i, 5) * vector(5)
  end do
end subroutine

subroutine matmul_sub(left, right, result)
  use app
  implicit none
  real(real64) :: left(5, 5), right(5, 5), result(5, 5)
  integer :: i, j
  do j = 1, 5
    do i = 1, 5
      result(i, j) = result(i, j) - left(i, 1) * right(1, j) - left(i, 2) * right(2, j) &
                     - left(i, 3) * right(3, j) - left(i, 4) * right(4, j) - left(i, 5) * right(5, j)
    end do
  end do
end subroutine

subroutine binvcrhs(lhs, c, r)
  use app
  implicit none
  real(real64) :: lhs(5, 5), c(5, 5), r(5)
  real(real64) :: pivot, factor
  integer :: row, other, n
  do row = 1, 5
    pivot = 1.0_real64 / lhs(row, row)
    do n = row + 1, 5
      lhs(row, n) = lhs(row, n) * pivot
    end do
    do n = 1, 5
      c(row, n) = c(row, n) * pivot
    end do
    r(row) = r(row) * pivot
    do other = 1, 5
      if (other == row) cycle
      factor = lhs(other, row)
      do n = row + 1, 5
        lhs(other, n) = lhs(other, n) - factor * lhs(row, n)
      end do
      do n = 1, 5
        c(other, n) = c(other, n) - factor * c(row, n)
      end do
      r(other) = r(other) - factor * r(row)
    end do
  end do
end subroutine
