! Block tridiagonal systems with blocks of 5 x 5, along one direction of a grid, and the right hand
! side of a fluid solver: products and sums in chains, values of several equations of a cell at once.
module fields
  implicit none
  integer, parameter :: n = 10
  double precision :: u(5, 0:n + 1, 0:n + 1, 0:n + 1), rhs(5, 0:n + 1, 0:n + 1, 0:n + 1)
  double precision :: square(0:n + 1, 0:n + 1, 0:n + 1), speed(3, 0:n + 1, 0:n + 1, 0:n + 1)
  double precision :: lhs(5, 5, 3, 0:n + 1), jacobian(5, 5, 0:n + 1), viscous(5, 5, 0:n + 1)
  double precision :: c1 = 1.4d0, c2 = 0.4d0, con43 = 4.0d0 / 3.0d0, dt = 0.015d0, dx = 0.75d0
end module

subroutine start_fields
  use fields
  implicit none
  integer :: i, j, k, m
  do k = 0, n + 1
    do j = 0, n + 1
      do i = 0, n + 1
        do m = 1, 5
          u(m, i, j, k) = 1.0d0 + 0.01d0 * mod(i * 7 + j * 11 + k * 13 + m * 17, 29) / 3.0d0
        end do
      end do
    end do
  end do
  rhs = 0
end subroutine

subroutine compute_rhs
  use fields
  implicit none
  integer :: i, j, k, m
  double precision :: inverse, up, um, vijk
  do k = 0, n + 1
    do j = 0, n + 1
      do i = 0, n + 1
        inverse = 1.0d0 / u(1, i, j, k)
        speed(1, i, j, k) = u(2, i, j, k) * inverse
        speed(2, i, j, k) = u(3, i, j, k) * inverse
        speed(3, i, j, k) = u(4, i, j, k) * inverse
        square(i, j, k) = 0.5d0 * (u(2, i, j, k) * u(2, i, j, k) + u(3, i, j, k) * u(3, i, j, k) + &
                                   u(4, i, j, k) * u(4, i, j, k)) * inverse
      end do
    end do
  end do
  do k = 1, n
    do j = 1, n
      do i = 1, n
        vijk = speed(1, i, j, k)
        up = speed(1, i + 1, j, k)
        um = speed(1, i - 1, j, k)
        rhs(1, i, j, k) = rhs(1, i, j, k) + dx * (u(1, i + 1, j, k) - 2.0d0 * u(1, i, j, k) + u(1, i - 1, j, k)) - &
                          dt * (u(2, i + 1, j, k) - u(2, i - 1, j, k))
        rhs(2, i, j, k) = rhs(2, i, j, k) + dx * (u(2, i + 1, j, k) - 2.0d0 * u(2, i, j, k) + u(2, i - 1, j, k)) + &
                          con43 * (up - 2.0d0 * vijk + um) - dt * (u(2, i + 1, j, k) * up - u(2, i - 1, j, k) * um + &
                          (u(5, i + 1, j, k) - square(i + 1, j, k) - u(5, i - 1, j, k) + square(i - 1, j, k)) * c2)
        rhs(5, i, j, k) = rhs(5, i, j, k) + dx * (up * up - 2.0d0 * vijk * vijk + um * um) - &
                          dt * ((c1 * u(5, i + 1, j, k) - c2 * square(i + 1, j, k)) * up - &
                                (c1 * u(5, i - 1, j, k) - c2 * square(i - 1, j, k)) * um)
      end do
      do i = 3, n - 2
        do m = 1, 5
          rhs(m, i, j, k) = rhs(m, i, j, k) - 0.01d0 * (u(m, i - 2, j, k) - 4.0d0 * u(m, i - 1, j, k) + &
                            6.0d0 * u(m, i, j, k) - 4.0d0 * u(m, i + 1, j, k) + u(m, i + 2, j, k))
        end do
      end do
    end do
  end do
end subroutine

subroutine set_blocks(j, k)
  use fields
  implicit none
  integer, intent(in) :: j, k
  integer :: i, m, l
  double precision :: t1, t2, t3
  do i = 0, n + 1
    t1 = 1.0d0 / u(1, i, j, k)
    t2 = t1 * t1
    t3 = t1 * t2
    jacobian(:, :, i) = 0
    jacobian(1, 2, i) = 1.0d0
    jacobian(2, 1, i) = -(u(2, i, j, k) * t2 * u(2, i, j, k)) + c2 * square(i, j, k) * t1
    jacobian(2, 2, i) = (2.0d0 - c2) * (u(2, i, j, k) / u(1, i, j, k))
    jacobian(2, 3, i) = -c2 * (u(3, i, j, k) * t1)
    jacobian(3, 1, i) = -(u(2, i, j, k) * u(3, i, j, k)) * t2
    jacobian(3, 3, i) = u(2, i, j, k) * t1
    jacobian(5, 1, i) = (c2 * 2.0d0 * square(i, j, k) - c1 * u(5, i, j, k)) * (u(2, i, j, k) * t2)
    jacobian(5, 5, i) = c1 * (u(2, i, j, k) * t1)
    viscous(:, :, i) = 0
    viscous(2, 1, i) = -con43 * t2 * u(2, i, j, k)
    viscous(2, 2, i) = con43 * t1
    viscous(3, 1, i) = -t2 * u(3, i, j, k)
    viscous(3, 3, i) = t1
    viscous(5, 1, i) = -(con43 - c1) * t3 * (u(2, i, j, k)**2) - (1.0d0 - c1) * t3 * (u(3, i, j, k)**2) - c1 * t2 * u(5, i, j, k)
    viscous(5, 5, i) = c1 * t1
  end do
  do i = 1, n
    do l = 1, 5
      do m = 1, 5
        lhs(m, l, 1, i) = -dt * jacobian(m, l, i - 1) - dx * dt * viscous(m, l, i - 1)
        lhs(m, l, 2, i) = 2.0d0 * dt * viscous(m, l, i)
        lhs(m, l, 3, i) = dt * jacobian(m, l, i + 1) - dx * dt * viscous(m, l, i + 1)
      end do
      lhs(l, l, 2, i) = lhs(l, l, 2, i) + 1.0d0
    end do
  end do
end subroutine

subroutine times_vector(block, a, b)
  implicit none
  double precision :: block(5, 5), a(5), b(5)
  integer :: m
  do m = 1, 5
    b(m) = b(m) - block(m, 1) * a(1) - block(m, 2) * a(2) - block(m, 3) * a(3) - block(m, 4) * a(4) - block(m, 5) * a(5)
  end do
end subroutine

subroutine times_block(a, b, c)
  implicit none
  double precision :: a(5, 5), b(5, 5), c(5, 5)
  integer :: j
  do j = 1, 5
    c(1, j) = c(1, j) - a(1, 1) * b(1, j) - a(1, 2) * b(2, j) - a(1, 3) * b(3, j) - a(1, 4) * b(4, j) - a(1, 5) * b(5, j)
    c(2, j) = c(2, j) - a(2, 1) * b(1, j) - a(2, 2) * b(2, j) - a(2, 3) * b(3, j) - a(2, 4) * b(4, j) - a(2, 5) * b(5, j)
    c(3, j) = c(3, j) - a(3, 1) * b(1, j) - a(3, 2) * b(2, j) - a(3, 3) * b(3, j) - a(3, 4) * b(4, j) - a(3, 5) * b(5, j)
    c(4, j) = c(4, j) - a(4, 1) * b(1, j) - a(4, 2) * b(2, j) - a(4, 3) * b(3, j) - a(4, 4) * b(4, j) - a(4, 5) * b(5, j)
    c(5, j) = c(5, j) - a(5, 1) * b(1, j) - a(5, 2) * b(2, j) - a(5, 3) * b(3, j) - a(5, 4) * b(4, j) - a(5, 5) * b(5, j)
  end do
end subroutine

subroutine invert(block, c, r)
  implicit none
  double precision :: block(5, 5), c(5, 5), r(5), pivot, factor
  integer :: row, other, l
  do row = 1, 5
    pivot = 1.0d0 / block(row, row)
    do l = row + 1, 5
      block(row, l) = block(row, l) * pivot
    end do
    c(row, :) = c(row, :) * pivot
    r(row) = r(row) * pivot
    do other = 1, 5
      if (other == row) cycle
      factor = block(other, row)
      do l = row + 1, 5
        block(other, l) = block(other, l) - factor * block(row, l)
      end do
      do l = 1, 5
        c(other, l) = c(other, l) - factor * c(row, l)
      end do
      r(other) = r(other) - factor * r(row)
    end do
  end do
end subroutine

subroutine solve_lines
  use fields
  implicit none
  integer :: i, j, k, m, l
  do k = 1, n
    do j = 1, n
      call set_blocks(j, k)
      call invert(lhs(1, 1, 2, 1), lhs(1, 1, 3, 1), rhs(1, 1, j, k))
      do i = 2, n
        call times_vector(lhs(1, 1, 1, i), rhs(1, i - 1, j, k), rhs(1, i, j, k))
        call times_block(lhs(1, 1, 1, i), lhs(1, 1, 3, i - 1), lhs(1, 1, 2, i))
        call invert(lhs(1, 1, 2, i), lhs(1, 1, 3, i), rhs(1, i, j, k))
      end do
      do i = n - 1, 1, -1
        do m = 1, 5
          do l = 1, 5
            rhs(m, i, j, k) = rhs(m, i, j, k) - lhs(m, l, 3, i) * rhs(l, i + 1, j, k)
          end do
        end do
      end do
    end do
  end do
end subroutine

program main
  use fields
  implicit none
  integer :: step, m
  double precision :: norm(5)
  call start_fields
  do step = 1, 3
    call compute_rhs
    call solve_lines
    u(:, 1:n, 1:n, 1:n) = u(:, 1:n, 1:n, 1:n) + 0.1d0 * rhs(:, 1:n, 1:n, 1:n)
    do m = 1, 5
      norm(m) = sqrt(sum(rhs(m, 1:n, 1:n, 1:n) * rhs(m, 1:n, 1:n, 1:n)) / (n * n * n))
    end do
    print '(5Z17.16)', norm
  end do
  call print_bits(u, size(u))
end program

subroutine print_bits(values, count)
  use iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: count
  double precision, intent(in) :: values(count)
  integer(int64) :: digest
  integer :: i
  digest = 0
  do i = 1, count
    digest = ieor(ishftc(digest, 7), transfer(values(i), digest))
  end do
  print '(Z16.16)', digest
end subroutine
