// Concurrent accumulates are atomic if they access the same elements: the same type at the same
// addresses. Types that differ only in name may be mixed, and so may derived types of one element
// type. One address of rank 0 for each pair. Fixed: both sides use one type, and complex numbers
// have equal element boundaries.
#include "rma.h"
// run: ranks=3
// output: right: 3 3 3 2 7 3+3i
// expect race: accumulate @{int_float_1} accumulate @{int_float_2}
// expect race: accumulate @{int_unsigned_1} accumulate @{int_unsigned_2}
// expect race: accumulate @{half_1} accumulate @{half_2}
// expect race: accumulate @{pair_1} accumulate @{pair_2}
// expect race: accumulate @{shift_1} accumulate @{shift_2}
enum {
  kIntFloat = 0,
  kIntUnsigned = 8,
  kHalf = 16,
  kPair = 32,
  kShift = 64,
  kLong = 128,
  kInt32 = 144,
  kComplex = 160,
  kArray = 192
};

int main(int argc, char** argv) {
  begin(argc, argv);
  char* memory;
  MPI_Win win;
  MPI_Win_allocate(256, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, 256);
  MPI_Barrier(MPI_COMM_WORLD);

  MPI_Datatype every_second;
  MPI_Type_vector(3, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  const int i1 = 1, i2 = 2, three_ones[3] = {1, 1, 1}, five_ones[5] = {1, 1, 1, 1, 1};
  const long l1 = 1, l2 = 2;
  const double z1[4] = {1, 1, 1, 1}, z2[4] = {2, 2, 2, 2};
  const struct {
    int value, index;
  } first = {5, 1}, second = {7, 2};
  MPI_Win_lock_all(0, win);
  if (rank == 1) {
    MPI_Accumulate(&i1, 1, MPI_INT, 0, kIntFloat, 1, MPI_INT, MPI_SUM, win);    /*{int_float_1}*/
    MPI_Accumulate(&i1, 1, MPI_INT, 0, kIntUnsigned, 1, MPI_INT, MPI_SUM, win); /*{int_unsigned_1}*/
    MPI_Accumulate(&l1, 1, MPI_LONG, 0, kHalf, 1, MPI_LONG, MPI_SUM, win);      /*{half_1}*/
    MPI_Accumulate(&first, 1, MPI_2INT, 0, kPair, 1, MPI_2INT, MPI_MAXLOC, win); /*{pair_1}*/
    MPI_Accumulate(z1, 2, MPI_C_DOUBLE_COMPLEX, 0, kShift, 2, MPI_C_DOUBLE_COMPLEX, MPI_SUM,
                   win); /*{shift_1}*/
    MPI_Accumulate(&l1, 1, MPI_LONG, 0, kLong, 1, MPI_LONG, MPI_SUM, win);
    MPI_Accumulate(&i1, 1, MPI_INT, 0, kInt32, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(z1, 1, MPI_C_DOUBLE_COMPLEX, 0, kComplex, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, win);
    MPI_Accumulate(three_ones, 3, MPI_INT, 0, kArray, 1, every_second, MPI_SUM, win);
  } else if (rank == 2) {
#ifdef FIXED
    MPI_Accumulate(&i2, 1, MPI_INT, 0, kIntFloat, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(&i2, 1, MPI_INT, 0, kIntUnsigned, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(&l2, 1, MPI_LONG, 0, kHalf, 1, MPI_LONG, MPI_SUM, win);
    MPI_Accumulate(&second, 1, MPI_2INT, 0, kPair, 1, MPI_2INT, MPI_MAXLOC, win);
    MPI_Accumulate(z2, 1, MPI_C_DOUBLE_COMPLEX, 0, kShift + 16, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM,
                   win);
#else
    const float f2 = 2;
    const unsigned u2 = 2;
    MPI_Accumulate(&f2, 1, MPI_FLOAT, 0, kIntFloat, 1, MPI_FLOAT, MPI_SUM, win); /*{int_float_2}*/
    MPI_Accumulate(&u2, 1, MPI_UNSIGNED, 0, kIntUnsigned, 1, MPI_UNSIGNED, MPI_SUM,
                   win);                                                     /*{int_unsigned_2}*/
    MPI_Accumulate(&i2, 1, MPI_INT, 0, kHalf, 1, MPI_INT, MPI_SUM, win);     /*{half_2}*/
    MPI_Accumulate(&second, 2, MPI_INT, 0, kPair, 2, MPI_INT, MPI_MAX, win); /*{pair_2}*/
    MPI_Accumulate(z2, 1, MPI_C_DOUBLE_COMPLEX, 0, kShift + 8, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM,
                   win); /*{shift_2}*/
#endif
    MPI_Accumulate(&l2, 1, MPI_INT64_T, 0, kLong, 1, MPI_INT64_T, MPI_SUM,
                   win);  // the same as MPI_LONG
    MPI_Accumulate(&i2, 1, MPI_INT32_T, 0, kInt32, 1, MPI_INT32_T, MPI_SUM,
                   win);  // the same as MPI_INT
    MPI_Accumulate(z2, 1, MPI_C_DOUBLE_COMPLEX, 0, kComplex, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, win);
    MPI_Accumulate(five_ones, 5, MPI_INT, 0, kArray, 5, MPI_INT, MPI_SUM, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const int sum = *(int*)(memory + kIntFloat), from_int32 = *(int*)(memory + kInt32);
    const long from_long = *(long*)(memory + kLong);
    const int *array = (int*)(memory + kArray), *largest = (int*)(memory + kPair);
    const double* complex = (double*)(memory + kComplex);
    CHECK(array[0] == 2 && array[1] == 1 && array[4] == 2);
    printf("right: %d %ld %d %d %d %.0f+%.0fi\n", sum, from_long, from_int32, array[2], largest[0],
           complex[0], complex[1]);
  }
  MPI_Type_free(&every_second);
  MPI_Win_free(&win);
  MPI_Finalize();
}
