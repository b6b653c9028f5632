! Lower and upper triangular sweeps over a grid, pentadiagonal systems along lines, norms, and a
! sparse matrix in compressed rows: recurrences and sums whose order must not change.
module grid
  implicit none
  integer, parameter :: n = 14
  double precision :: v(5, n, n, n), a(5, 5, n, n), b(5, 5, n, n), d(5, 5, n, n), rsd(5, n, n, n)
  double precision :: lhs(5, n, n, n), rho(n, n, n)
  double precision, allocatable :: values(:), x(:), y(:)
  integer, allocatable :: columns(:), starts(:)
  double precision :: omega = 1.2d0
end module

subroutine start_grid
  use grid
  implicit none
  integer :: i, j, k, m, l, p
  do k = 1, n
    do j = 1, n
      do i = 1, n
        do m = 1, 5
          v(m, i, j, k) = 0.1d0 * mod(i * 3 + j * 5 + k * 7 + m, 23) / 7.0d0
          rsd(m, i, j, k) = 0.3d0 * mod(i * 2 + j * 9 + k * 5 + m, 19) / 11.0d0
          lhs(m, i, j, k) = 0.05d0 * mod(i + j * 2 + k * 3 + m, 7)
        end do
        lhs(3, i, j, k) = lhs(3, i, j, k) + 2.0d0
        rho(i, j, k) = 1.0d0 + 0.01d0 * mod(i + j + k, 13)
      end do
    end do
  end do
  allocate (starts(n * n * n + 1), columns(n * n * n * 9), values(n * n * n * 9), x(n * n * n), y(n * n * n))
  p = 1
  do i = 1, n * n * n
    starts(i) = p
    do l = 0, mod(i, 9)
      columns(p) = 1 + mod(i * 31 + l * 977, n * n * n)
      values(p) = 1.0d0 / (1 + mod(i + l, 17))
      p = p + 1
    end do
    x(i) = 1.0d0 / i
  end do
  starts(n * n * n + 1) = p
end subroutine

subroutine jacobians(k)
  use grid
  implicit none
  integer, intent(in) :: k
  integer :: i, j, m, l
  double precision :: t1, t2
  do j = 1, n
    do i = 1, n
      t1 = rho(i, j, k)
      t2 = t1 * t1
      do l = 1, 5
        do m = 1, 5
          d(m, l, i, j) = 0.02d0 * (t1 * v(m, i, j, k) - t2 * v(l, i, j, k))
          a(m, l, i, j) = -0.01d0 * (t2 * v(l, i, j, k)) + 0.003d0 * v(m, i, j, k) * t1
          b(m, l, i, j) = 0.01d0 * t1 * v(m, i, j, k) - (0.002d0 * t2) * v(l, i, j, k)
        end do
        d(l, l, i, j) = d(l, l, i, j) + 1.0d0 + 2.0d0 * t1
      end do
    end do
  end do
end subroutine

subroutine sweep(k, from, to, step)
  use grid
  implicit none
  integer, intent(in) :: k, from, to, step
  integer :: i, j, m
  double precision :: tmat(5, 5), tv(5), t
  do j = from, to, step
    do i = from, to, step
      do m = 1, 5
        tv(m) = rsd(m, i, j, k) - omega * (a(m, 1, i, j) * rsd(1, i, j - step, k) + b(m, 1, i, j) * rsd(1, i - step, j, k) + &
                a(m, 2, i, j) * rsd(2, i, j - step, k) + b(m, 2, i, j) * rsd(2, i - step, j, k) + &
                a(m, 3, i, j) * rsd(3, i, j - step, k) + b(m, 3, i, j) * rsd(3, i - step, j, k) + &
                a(m, 4, i, j) * rsd(4, i, j - step, k) + b(m, 4, i, j) * rsd(4, i - step, j, k) + &
                a(m, 5, i, j) * rsd(5, i, j - step, k) + b(m, 5, i, j) * rsd(5, i - step, j, k))
      end do
      do m = 1, 5
        tmat(m, 1) = d(m, 1, i, j)
        tmat(m, 2) = d(m, 2, i, j)
        tmat(m, 3) = d(m, 3, i, j)
        tmat(m, 4) = d(m, 4, i, j)
        tmat(m, 5) = d(m, 5, i, j)
      end do
      t = tmat(2, 1) / tmat(1, 1)
      tmat(2, 2) = tmat(2, 2) - t * tmat(1, 2)
      tmat(2, 3) = tmat(2, 3) - t * tmat(1, 3)
      tmat(2, 4) = tmat(2, 4) - t * tmat(1, 4)
      tmat(2, 5) = tmat(2, 5) - t * tmat(1, 5)
      tv(2) = tv(2) - tv(1) * t
      t = tmat(3, 1) / tmat(1, 1)
      tmat(3, 2) = tmat(3, 2) - t * tmat(1, 2)
      tmat(3, 3) = tmat(3, 3) - t * tmat(1, 3)
      tv(3) = tv(3) - tv(1) * t
      t = tmat(3, 2) / tmat(2, 2)
      tmat(3, 3) = tmat(3, 3) - t * tmat(2, 3)
      tv(3) = tv(3) - tv(2) * t
      rsd(5, i, j, k) = tv(5) / tmat(5, 5)
      tv(4) = tv(4) - tmat(4, 5) * rsd(5, i, j, k)
      rsd(4, i, j, k) = tv(4) / tmat(4, 4)
      tv(3) = tv(3) - tmat(3, 4) * rsd(4, i, j, k) - tmat(3, 5) * rsd(5, i, j, k)
      rsd(3, i, j, k) = tv(3) / tmat(3, 3)
      tv(2) = tv(2) - tmat(2, 3) * rsd(3, i, j, k) - tmat(2, 4) * rsd(4, i, j, k) - tmat(2, 5) * rsd(5, i, j, k)
      rsd(2, i, j, k) = tv(2) / tmat(2, 2)
      tv(1) = tv(1) - tmat(1, 2) * rsd(2, i, j, k) - tmat(1, 3) * rsd(3, i, j, k) - tmat(1, 4) * rsd(4, i, j, k)
      rsd(1, i, j, k) = tv(1) / tmat(1, 1)
    end do
  end do
end subroutine

! The coefficients of the lines are overwritten: each row uses what the two before it have left.
subroutine lines
  use grid
  implicit none
  integer :: i, j, k, m
  double precision :: f
  do k = 1, n
    do j = 1, n
      do i = 1, n - 2
        f = 1.0d0 / lhs(3, i, j, k)
        lhs(4, i, j, k) = f * lhs(4, i, j, k)
        lhs(5, i, j, k) = f * lhs(5, i, j, k)
        do m = 1, 3
          v(m, i, j, k) = f * v(m, i, j, k)
        end do
        lhs(3, i + 1, j, k) = lhs(3, i + 1, j, k) - lhs(2, i + 1, j, k) * lhs(4, i, j, k)
        lhs(4, i + 1, j, k) = lhs(4, i + 1, j, k) - lhs(2, i + 1, j, k) * lhs(5, i, j, k)
        do m = 1, 3
          v(m, i + 1, j, k) = v(m, i + 1, j, k) - lhs(2, i + 1, j, k) * v(m, i, j, k)
        end do
        lhs(2, i + 2, j, k) = lhs(2, i + 2, j, k) - lhs(1, i + 2, j, k) * lhs(4, i, j, k)
        lhs(3, i + 2, j, k) = lhs(3, i + 2, j, k) - lhs(1, i + 2, j, k) * lhs(5, i, j, k)
        do m = 1, 3
          v(m, i + 2, j, k) = v(m, i + 2, j, k) - lhs(1, i + 2, j, k) * v(m, i, j, k)
        end do
      end do
      do i = n - 2, 1, -1
        do m = 1, 3
          v(m, i, j, k) = v(m, i, j, k) - lhs(4, i, j, k) * v(m, i + 1, j, k) - lhs(5, i, j, k) * v(m, i + 2, j, k)
        end do
      end do
    end do
  end do
end subroutine

subroutine multiply(rows, starts, columns, values, x, y)
  implicit none
  integer, intent(in) :: rows, starts(rows + 1), columns(*)
  double precision, intent(in) :: values(*), x(*)
  double precision, intent(out) :: y(*)
  integer :: i, k
  double precision :: total
  do i = 1, rows
    total = 0
    do k = starts(i), starts(i + 1) - 1
      total = total + values(k) * x(columns(k))
    end do
    y(i) = total
  end do
end subroutine

subroutine norms(field, result)
  use grid, only: n
  implicit none
  double precision, intent(in) :: field(5, n, n, n)
  double precision, intent(out) :: result(5)
  integer :: i, j, k, m
  result = 0
  do k = 2, n - 1
    do j = 2, n - 1
      do i = 2, n - 1
        do m = 1, 5
          result(m) = result(m) + field(m, i, j, k) * field(m, i, j, k)
        end do
      end do
    end do
  end do
  result = sqrt(result / (n - 2)**3)
end subroutine

program main
  use grid
  implicit none
  integer :: step, k
  double precision :: result(5), product
  call start_grid
  do step = 1, 3
    do k = 1, n
      call jacobians(k)
      call sweep(k, 2, n - 1, 1)
      call sweep(k, n - 1, 2, -1)
    end do
    call norms(rsd, result)
    print '(5Z17.16)', result
    call lines
    call norms(v, result)
    print '(5Z17.16)', result
    call multiply(n * n * n, starts, columns, values, x, y)
    product = dot_product(x, y)
    x = x + 0.01d0 / product * y
    print '(2Z17.16)', product, sum(x)
  end do
end program
