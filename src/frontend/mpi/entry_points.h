// Macros that define an MPI function with the parameter types of mpi.h. The number of its roles in
// a table is the number of its parameters.
//
//   extern "C" int MPI_Foo(PARAMETERS_OF(MPI_Foo, roles…)) { return handle(REAL(MPI_Foo),
//   CALL_SITE ARGUMENTS_OF(roles…)); }
#pragma once

#include <cstddef>
#include <tuple>

#include "frontend/mpi/interceptor.h"

namespace photofinish::mpi {

template <class Function>
struct Signature;
template <class Result, class... Arguments>
struct Signature<Result(Arguments...)> {
  template <std::size_t i>
  using Argument = std::tuple_element_t<i, std::tuple<Arguments...>>;
};

}  // namespace photofinish::mpi

#define PARAMETER(f, i) ::photofinish::mpi::Signature<decltype(f)>::Argument<i> a##i
#define PARAMETERS_0(f)
#define PARAMETERS_1(f) PARAMETER(f, 0)
#define PARAMETERS_2(f) PARAMETERS_1(f), PARAMETER(f, 1)
#define PARAMETERS_3(f) PARAMETERS_2(f), PARAMETER(f, 2)
#define PARAMETERS_4(f) PARAMETERS_3(f), PARAMETER(f, 3)
#define PARAMETERS_5(f) PARAMETERS_4(f), PARAMETER(f, 4)
#define PARAMETERS_6(f) PARAMETERS_5(f), PARAMETER(f, 5)
#define PARAMETERS_7(f) PARAMETERS_6(f), PARAMETER(f, 6)
#define PARAMETERS_8(f) PARAMETERS_7(f), PARAMETER(f, 7)
#define PARAMETERS_9(f) PARAMETERS_8(f), PARAMETER(f, 8)
#define PARAMETERS_10(f) PARAMETERS_9(f), PARAMETER(f, 9)
#define PARAMETERS_11(f) PARAMETERS_10(f), PARAMETER(f, 10)
#define PARAMETERS_12(f) PARAMETERS_11(f), PARAMETER(f, 11)
#define PARAMETERS_13(f) PARAMETERS_12(f), PARAMETER(f, 12)
#define ARGUMENTS_0
#define ARGUMENTS_1 , a0
#define ARGUMENTS_2 ARGUMENTS_1, a1
#define ARGUMENTS_3 ARGUMENTS_2, a2
#define ARGUMENTS_4 ARGUMENTS_3, a3
#define ARGUMENTS_5 ARGUMENTS_4, a4
#define ARGUMENTS_6 ARGUMENTS_5, a5
#define ARGUMENTS_7 ARGUMENTS_6, a6
#define ARGUMENTS_8 ARGUMENTS_7, a7
#define ARGUMENTS_9 ARGUMENTS_8, a8
#define ARGUMENTS_10 ARGUMENTS_9, a9
#define ARGUMENTS_11 ARGUMENTS_10, a10
#define ARGUMENTS_12 ARGUMENTS_11, a11
#define ARGUMENTS_13 ARGUMENTS_12, a12
#define PICK(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, n, ...) n
#define COUNT(...) PICK(0 __VA_OPT__(, ) __VA_ARGS__, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define GLUE(a, b) a##b
#define GLUE2(a, b) GLUE(a, b)

#define PARAMETERS_OF(f, ...) GLUE2(PARAMETERS_, COUNT(__VA_ARGS__))(f)
#define ARGUMENTS_OF(...) GLUE2(ARGUMENTS_, COUNT(__VA_ARGS__))
