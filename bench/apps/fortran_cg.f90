! Conjugate gradients on a sparse matrix in compressed rows: fortran_cg STEPS ORDER
! A block of rows for each rank. Ranks exchange their parts of the direction with messages that are
! complete before the product begins. Matrix and vectors lie in a common block and are passed on.
module matrix
  use app
  implicit none
  integer, parameter :: pairs = 12, per_row = 2 * pairs + 1
  integer, parameter :: largest = 65536, most_elements = largest * per_row
  integer :: colidx(most_elements), rowstr(largest + 1)
  real(real64) :: a(most_elements)
  common /sparse/ a, colidx, rowstr
  real(real64) :: p(largest), q(largest), r(largest), z(largest)
  common /vectors/ p, q, r, z
end module

program fortran_cg
  use matrix
  implicit none
  integer :: steps, order, rank, ranks, error, first, rows
  real(real64) :: started, seconds
  call mpi_init(error)
  steps = argument(1, 100)
  order = min(argument(2, 65536), largest)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
  first = share(rank)
  rows = share(rank + 1) - first
  call make_matrix(order, first, rows)
  started = synchronised_time()
  call solve(steps, order, first, rows, rank, ranks, colidx, rowstr, a, p, q, r, z)
  seconds = synchronised_time() - started
  call finish(seconds, checksum_of(z, rows))

contains

  integer function share(of_rank)
    integer, intent(in) :: of_rank
    share = int(int(order, int64) * of_rank / ranks)
  end function

  ! Symmetric and diagonally dominant, and so positive definite.
  subroutine make_matrix(order, first, rows)
    integer, intent(in) :: order, first, rows
    integer :: row, pair, k, distance
    k = 0
    do row = 0, rows - 1
      rowstr(row + 1) = k + 1
      k = k + 1
      a(k) = per_row
      colidx(k) = first + row + 1
      do pair = 1, pairs
        distance = 1 + mod(pair * 7919, order / 2 - 1)
        a(k + 1:k + 2) = -1.0_real64 / (1 + mod(pair * 31, 17))
        colidx(k + 1) = mod(first + row + distance, order) + 1
        colidx(k + 2) = mod(first + row + order - distance, order) + 1
        k = k + 2
      end do
    end do
    rowstr(rows + 1) = k + 1
  end subroutine
end program

subroutine solve(steps, order, first, rows, rank, ranks, colidx, rowstr, a, p, q, r, z)
  use app
  implicit none
  integer, intent(in) :: steps, order, first, rows, rank, ranks
  integer, intent(in) :: colidx(*), rowstr(*)
  real(real64), intent(in) :: a(*)
  real(real64) :: p(*), q(*), r(*), z(*)
  integer :: step, other, requests(2 * ranks), used, error, j, k
  integer :: begins(0:ranks)
  real(real64) :: sum, rho, rho0, d, alpha, beta, mine
  do other = 0, ranks
    begins(other) = int(int(order, int64) * other / ranks)
  end do
  do j = 1, rows
    z(j) = 0
    r(j) = 1.0_real64 / (first + j)
    p(first + j) = r(j)
  end do
  mine = 0
  do j = 1, rows
    mine = mine + r(j) * r(j)
  end do
  call mpi_allreduce(mine, rho, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  do step = 1, steps
    used = 0
    do other = 0, ranks - 1
      if (other == rank) cycle
      used = used + 1
      call mpi_irecv(p(begins(other) + 1), begins(other + 1) - begins(other), &
                     MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, requests(used), error)
    end do
    do other = 0, ranks - 1
      if (other == rank) cycle
      used = used + 1
      call mpi_isend(p(first + 1), rows, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, &
                     requests(used), error)
    end do
    call mpi_waitall(used, requests, MPI_STATUSES_IGNORE, error)
    do j = 1, rows
      sum = 0
      do k = rowstr(j), rowstr(j + 1) - 1
        sum = sum + a(k) * p(colidx(k))
      end do
      q(j) = sum
    end do
    mine = 0
    do j = 1, rows
      mine = mine + p(first + j) * q(j)
    end do
    call mpi_allreduce(mine, d, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    alpha = rho / d
    rho0 = rho
    mine = 0
    do j = 1, rows
      z(j) = z(j) + alpha * p(first + j)
      r(j) = r(j) - alpha * q(j)
    end do
    do j = 1, rows
      mine = mine + r(j) * r(j)
    end do
    call mpi_allreduce(mine, rho, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    beta = rho / rho0
    do j = 1, rows
      p(first + j) = r(j) + beta * p(first + j)
    end do
  end do
end subroutine
