// Where elements are: thread, phase and offset by block size.
#include "check.h"

shared int scalar;
shared int cyclic[7 * THREADS];
shared [3] int blocked[10 * THREADS];
shared [5] char odd[17 * THREADS];
shared [] int indefinite[20];
shared [0] int zero[4];
shared [*] double even[6 * THREADS];
shared [*] int planes[2 * THREADS][3];
shared [4] struct { int a; char b; } records[5 * THREADS];
shared [2] long grid[3 * THREADS][4];
shared [300000] double large[300000 * THREADS];
int shared after[THREADS];
const shared [2] int constant[2 * THREADS];

CASE(a_scalar_is_on_thread_0) { CHECK(upc_threadof(&scalar) == 0); }

CASE(cyclic_by_default) {
  for (int i = 0; i < 7 * THREADS; i++) CHECK(upc_threadof(&cyclic[i]) == i % THREADS && upc_phaseof(&cyclic[i]) == 0);
}

CASE(blocks_of_three) {
  for (int i = 0; i < 10 * THREADS; i++) CHECK(upc_threadof(&blocked[i]) == i / 3 % THREADS && upc_phaseof(&blocked[i]) == i % 3);
}

CASE(blocks_that_are_no_power_of_two) {
  for (int i = 0; i < 17 * THREADS; i++) CHECK(upc_threadof(&odd[i]) == i / 5 % THREADS && upc_phaseof(&odd[i]) == i % 5);
}

CASE(indefinite_blocks_are_on_one_thread) {
  for (int i = 0; i < 20; i++) CHECK(upc_threadof(&indefinite[i]) == 0 && upc_phaseof(&indefinite[i]) == 0);
  CHECK(upc_threadof(&zero[3]) == 0);
}

CASE(one_block_for_each_thread) {
  for (int i = 0; i < 6 * THREADS; i++) CHECK(upc_threadof(&even[i]) == i / 6);
}

CASE(one_block_in_two_dimensions) {
  for (int i = 0; i < 2 * THREADS; i++)
    for (int j = 0; j < 3; j++) CHECK(upc_threadof(&planes[i][j]) == (3 * i + j) / 6);
}

CASE(arrays_of_structs) {
  for (int i = 0; i < 5 * THREADS; i++) CHECK(upc_threadof(&records[i]) == i / 4 % THREADS && upc_phaseof(&records[i]) == i % 4);
}

CASE(two_dimensions_share_blocks) {
  for (int i = 0; i < 3 * THREADS; i++)
    for (int j = 0; j < 4; j++) CHECK(upc_threadof(&grid[i][j]) == (4 * i + j) / 2 % THREADS);
}

CASE(blocks_above_2_MiB) {
  for (int i = 0; i < THREADS; i++) {
    CHECK(upc_threadof(&large[300000 * i]) == i && upc_threadof(&large[300000 * i + 299999]) == i);
    CHECK(upc_phaseof(&large[300000 * i + 299999]) == 299999);
  }
  large[300000 * MYTHREAD + 7] = MYTHREAD + 0.5;
  upc_barrier;
  for (int i = 0; i < THREADS; i++) CHECK(large[300000 * i + 7] == i + 0.5);
}

CASE(the_qualifier_may_follow_the_type) {
  for (int i = 0; i < THREADS; i++) CHECK(upc_threadof(&after[i]) == i);
  CHECK(upc_threadof(&constant[2]) == 1 % THREADS);
}

CASE(offsets_grow_within_a_thread) {
  CHECK(upc_addrfield(&cyclic[THREADS]) == upc_addrfield(&cyclic[0]) + sizeof(int));
  CHECK(upc_addrfield(&blocked[2]) == upc_addrfield(&blocked[0]) + 2 * sizeof(int));
  CHECK(upc_addrfield(&blocked[3 * THREADS]) == upc_addrfield(&blocked[0]) + 3 * sizeof(int));
}

CASE(all_elements_are_distinct) {
  upc_forall (int i = 0; i < 10 * THREADS; i++; i) blocked[i] = 3 * i + 1;
  upc_forall (int i = 0; i < 17 * THREADS; i++; i) odd[i] = i % 100;
  upc_barrier;
  for (int i = 0; i < 10 * THREADS; i++) CHECK(blocked[i] == 3 * i + 1);
  for (int i = 0; i < 17 * THREADS; i++) CHECK(odd[i] == i % 100);
}

CASE(sizes_of_arrays) {
  CHECK(sizeof(cyclic) == 7 * THREADS * sizeof(int));
  CHECK(sizeof cyclic[0] == sizeof(int));
  CHECK(sizeof(grid) == 12 * THREADS * sizeof(long) && sizeof(grid[0]) == 4 * sizeof(long));
  CHECK(sizeof(indefinite) == 80);
}

CASE(upc_blocksizeof_of_names_and_types) {
  CHECK(upc_blocksizeof(cyclic) == 1 && upc_blocksizeof(blocked) == 3 && upc_blocksizeof(indefinite) == 0);
  CHECK(upc_blocksizeof(shared [9] char) == 9 && upc_blocksizeof(even) == 6);
}

CASE(upc_elemsizeof_of_names_and_types) {
  CHECK(upc_elemsizeof(grid) == sizeof(long) && upc_elemsizeof(odd) == 1 && upc_elemsizeof(shared [4] double) == sizeof(double));
}

CASE(upc_localsizeof_is_the_largest_part) {
  CHECK(upc_localsizeof(cyclic) == 7 * sizeof(int));
  CHECK(upc_localsizeof(blocked) == (10 * THREADS + 3 * THREADS - 1) / (3 * THREADS) * 3 * sizeof(int));
  CHECK(upc_localsizeof(indefinite) == 80);
}

CASE(upc_affinitysize_by_thread) {
  size_t total = 0;
  for (int i = 0; i < THREADS; i++) total += upc_affinitysize(100, 7, i);
  CHECK(total == 100);
  CHECK(upc_affinitysize(100, 0, 0) == 100);
}

int main(void) {
  RUN(a_scalar_is_on_thread_0);
  RUN(cyclic_by_default);
  RUN(blocks_of_three);
  RUN(blocks_that_are_no_power_of_two);
  RUN(indefinite_blocks_are_on_one_thread);
  RUN(one_block_for_each_thread);
  RUN(one_block_in_two_dimensions);
  RUN(arrays_of_structs);
  RUN(two_dimensions_share_blocks);
  RUN(blocks_above_2_MiB);
  RUN(the_qualifier_may_follow_the_type);
  RUN(offsets_grow_within_a_thread);
  RUN(all_elements_are_distinct);
  RUN(sizes_of_arrays);
  RUN(upc_blocksizeof_of_names_and_types);
  RUN(upc_elemsizeof_of_names_and_types);
  RUN(upc_localsizeof_is_the_largest_part);
  RUN(upc_affinitysize_by_thread);
  return done();
}
