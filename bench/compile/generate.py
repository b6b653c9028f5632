"""Sources that are large in the ways real ones are: one huge function with many loop nests, generated code without loops, templates that are used often."""


def fluxes(nests):
    """One subroutine of Fortran with so many loop nests over arrays of a module, as the right hand side of a fluid solver."""
    body = []
    for nest in range(nests):
        d = nest % 3
        i = ["i + 1, j, k", "i, j + 1, k", "i, j, k + 1"][d]
        m = ["i - 1, j, k", "i, j - 1, k", "i, j, k - 1"][d]
        v = d + 2
        body.append(f"""  do k = 2, n - 1
    do j = 2, n - 1
      do i = 2, n - 1
        own = velocity({d + 1}, i, j, k)
        up = velocity({d + 1}, {i})
        down = velocity({d + 1}, {m})
        rhs(1, i, j, k) = rhs(1, i, j, k) + c{nest % 5 + 1} * (u(1, {i}) - 2.0d0 * u(1, i, j, k) + u(1, {m})) - t{d + 1} * (u({v}, {i}) - u({v}, {m}))
        rhs(2, i, j, k) = rhs(2, i, j, k) + c1 * (u(2, {i}) - 2.0d0 * u(2, i, j, k) + u(2, {m})) + &
          c2 * (up - 2.0d0 * own + down) - t{d + 1} * (u(2, {i}) * up - u(2, {m}) * down + &
          (u(5, {i}) - square({i}) - u(5, {m}) + square({m})) * c{nest % 4 + 2})
        rhs(3, i, j, k) = rhs(3, i, j, k) + c2 * (u(3, {i}) - 2.0d0 * u(3, i, j, k) + u(3, {m})) + &
          c3 * (velocity(2, {i}) - 2.0d0 * velocity(2, i, j, k) + velocity(2, {m})) - t{d + 1} * (u(3, {i}) * up - u(3, {m}) * down)
        rhs(4, i, j, k) = rhs(4, i, j, k) + c3 * (u(4, {i}) - 2.0d0 * u(4, i, j, k) + u(4, {m})) + &
          c4 * (velocity(3, {i}) - 2.0d0 * velocity(3, i, j, k) + velocity(3, {m})) - t{d + 1} * (u(4, {i}) * up - u(4, {m}) * down)
        rhs(5, i, j, k) = rhs(5, i, j, k) + c4 * (u(5, {i}) - 2.0d0 * u(5, i, j, k) + u(5, {m})) + &
          c5 * (energy({i}) - 2.0d0 * energy(i, j, k) + energy({m})) + c1 * (up * up - 2.0d0 * own * own + down * down) - &
          t{d + 1} * ((c2 * u(5, {i}) - c3 * square({i})) * up - (c2 * u(5, {m}) - c3 * square({m})) * down)
      end do
    end do
    do j = 2, n - 1
      i = 2
      do m = 1, 5
        rhs(m, i, j, k) = rhs(m, i, j, k) - c5 * (5.0d0 * u(m, i, j, k) - 4.0d0 * u(m, i + 1, j, k) + u(m, i + 2, j, k))
      end do
      do i = 4, n - 3
        do m = 1, 5
          rhs(m, i, j, k) = rhs(m, i, j, k) - c5 * (u(m, i - 2, j, k) - 4.0d0 * u(m, i - 1, j, k) + 6.0d0 * u(m, i, j, k) - &
            4.0d0 * u(m, i + 1, j, k) + u(m, i + 2, j, k))
        end do
      end do
    end do
  end do
""")
    return f"""module fields
  integer :: n
  double precision, pointer :: u(:, :, :, :), rhs(:, :, :, :), velocity(:, :, :, :), square(:, :, :), energy(:, :, :)
  double precision :: c1, c2, c3, c4, c5, t1, t2, t3
end module

subroutine compute_rhs
  use fields
  implicit none
  integer :: i, j, k, m
  double precision :: own, up, down
{''.join(body)}end subroutine
"""


def common(nests):
    """The same with arrays of constant bounds in common blocks."""
    text = fluxes(nests)
    head = "  common /fields/ u, rhs, velocity, square, energy\n"
    return text.replace("  integer :: n\n", "  integer, parameter :: n = 64\n").replace(
        "  double precision, pointer :: u(:, :, :, :), rhs(:, :, :, :), velocity(:, :, :, :), square(:, :, :), energy(:, :, :)\n",
        f"  double precision :: u(5, n, n, n), rhs(5, n, n, n), velocity(3, n, n, n), square(n, n, n), energy(n, n, n)\n{head}")


def formulas(functions, statements):
    """C as a program writes it: long functions, each statement of which has accesses of its own."""
    text = ["#include <math.h>\n"]
    for function in range(functions):
        text.append(f"void formula{function}(double* y, const double* x, const int* at, long n) {{\n  for (long i = 0; i < n; ++i) {{\n    const int* a = at + i * 8;\n")
        for s in range(statements):
            p, q, r = (s * 7 + function) % 61, (s * 13 + 5) % 59, (s * 5 + 11) % 53
            text.append(f"    const double e{s} = x[a[{s % 8}] + {p}] * x[i * 64 + {q}] + {s % 9 + 1}.25 * x[a[{(s + 3) % 8}] + {r}];\n"
                        f"    y[i * 96 + {s % 96}] += e{s} * {f'e{s - 1}' if s else 'x[i]'};\n")
        text.append("  }\n}\n")
    return "".join(text)


def tables(entries):
    """C without loops: what a parser generator, or a chemistry package, writes."""
    text = ["struct state { double t, p, c[256], w[256]; };\nvoid rates(struct state* s, const double* k) {\n"]
    for e in range(entries):
        text.append(f"  s->w[{e * 7 % 256}] += k[{e}] * s->c[{e * 3 % 256}] * s->c[{(e * 5 + 1) % 256}] - k[{e + entries}] * s->c[{(e * 11 + 2) % 256}];\n")
    text.append("}\n")
    return "".join(text)


def mesh(kernels):
    """C++: kernels over an unstructured mesh, in a template that is used with several types."""
    text = ["""#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>
struct Mesh { std::vector<int> corners; std::vector<double> x, y, z, fx, fy, fz, energy, mass; std::map<std::string, std::vector<double>> fields; };
template <class T> struct Field { std::vector<T> values; T& operator[](std::size_t i) { return values[i]; } std::size_t size() const { return values.size(); } };
"""]
    for kernel in range(kernels):
        text.append(f"""template <class T> T kernel{kernel}(Mesh& mesh, Field<T>& field, T step) {{
  T total = 0;
  for (std::size_t e = 0; e + 1 < field.size(); ++e) {{
    const int* c = &mesh.corners[8 * e];
    double x[8], y[8], z[8];
    for (int i = 0; i < 8; ++i) {{ x[i] = mesh.x[c[i]]; y[i] = mesh.y[c[i]]; z[i] = mesh.z[c[i]]; }}
    const double volume = (x[1] - x[0]) * (y[2] - y[0]) * (z[4] - z[0]) + (x[{kernel % 8}] - x[6]) * (y[3] - y[7]) * (z[5] - z[2]);
    if (volume < 0) {{ mesh.fields["negative"].push_back(volume); continue; }}
    field[e] += static_cast<T>(step * std::sqrt(volume * mesh.mass[e] + mesh.energy[e]));
    for (int i = 0; i < 8; ++i) {{ mesh.fx[c[i]] += step * x[i] * volume; mesh.fy[c[i]] += step * y[i] * volume; mesh.fz[c[i]] += step * z[i] * volume; }}
    total += field[e] * field[e + 1];
  }}
  for (std::size_t e = 1; e < field.size(); ++e) field[e] = field[e] * T({kernel + 1}) + field[e - 1] / T(3);
  return total;
}}
template double kernel{kernel}<double>(Mesh&, Field<double>&, double);
template float kernel{kernel}<float>(Mesh&, Field<float>&, float);
""")
    return "".join(text)


# File name and text: small, middling and huge ones of each kind.
SOURCES = {
    "fluxes_small.f90": lambda: fluxes(2),
    "fluxes_huge.f90": lambda: fluxes(24),
    "common_huge.f90": lambda: common(24),
    "formulas.c": lambda: formulas(8, 60),
    "formulas_huge.c": lambda: formulas(40, 160),
    "tables.c": lambda: tables(1500),
    "mesh.cpp": lambda: mesh(6),
    "mesh_huge.cpp": lambda: mesh(30),
}
