// Declarations: initial values, scopes, dimensions with THREADS, incomplete types.
#include "check.h"

shared int answer = 42;
shared [2] int some[5 * THREADS] = {1, 2, 3};
shared [] int list[4] = {4, 5, 6, 7};
shared struct { int a; char b[4]; } record = {8, "xyz"};
shared double table[THREADS][3];
shared int columns[4][THREADS];
shared [5] int cube[2][THREADS][3];
shared int first[THREADS], second[2 * THREADS], *to_first = &first[0];
shared [2] int *inner = &some[3];
shared int *shared remembered = &answer;
static shared int hidden[THREADS];
extern shared int later[3 * THREADS];
shared int later[3 * THREADS];

struct node {
  int value;
  shared struct node *next;
};
shared struct node nodes[2 * THREADS];
typedef struct leaf leaf;
struct tree { shared [] leaf *left; shared leaf *right; };
struct leaf { int size; };
shared leaf leaves[THREADS];

CASE(initial_values) {
  CHECK(answer == 42 && some[0] == 1 && some[2] == 3 && some[3] == 0 && list[3] == 7);
  CHECK(record.a == 8 && record.b[2] == 'z');
}

CASE(the_rest_is_zero) {
  for (int i = 0; i < THREADS; i++) CHECK(first[i] == 0 && hidden[i] == 0 && table[i][2] == 0);
}

CASE(addresses_as_initial_values) {
  CHECK(to_first == &first[0] && inner == &some[3] && upc_phaseof(inner) == 1);
  CHECK(remembered == &answer && *remembered == 42);
}

CASE(threads_as_outer_dimension) {
  for (int j = 0; j < 3; j++) table[MYTHREAD][j] = 10 * MYTHREAD + j;
  upc_barrier;
  for (int i = 0; i < THREADS; i++)
    for (int j = 0; j < 3; j++) CHECK(table[i][j] == 10 * i + j && upc_threadof(&table[i][j]) == (3 * i + j) % THREADS);
}

CASE(threads_as_inner_dimension) {
  for (int i = 0; i < 4; i++) columns[i][MYTHREAD] = 100 * i + MYTHREAD;
  upc_barrier;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < THREADS; j++) CHECK(columns[i][j] == 100 * i + j && upc_threadof(&columns[i][j]) == j);
  CHECK(sizeof(columns[0]) == THREADS * sizeof(int));
}

CASE(threads_in_the_middle) {
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) cube[i][MYTHREAD][k] = 100 * i + 10 * MYTHREAD + k;
  upc_barrier;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < THREADS; j++)
      for (int k = 0; k < 3; k++) CHECK(cube[i][j][k] == 100 * i + 10 * j + k);
}

static int calls(void) {
  static shared int counter[THREADS];
  return ++counter[MYTHREAD];
}

CASE(static_variables_of_functions) {
  CHECK(calls() == 1 && calls() == 2);
}

CASE(local_names_hide_arrays) {
  int first = 3, columns[2] = {4, 5};
  CHECK(first == 3 && columns[1] == 5 && sizeof(columns) == 2 * sizeof(int));
}

CASE(members_may_have_the_name_of_an_array) {
  struct { int first, second; } s = {.first = 1, .second = 2}, *p = &s;
  CHECK(s.first == 1 && p->second == 2);
}

CASE(declared_before_they_are_defined) {
  later[MYTHREAD] = 9;
  upc_barrier;
  CHECK(later[THREADS - 1] == 9);
}

CASE(lists_of_structs_that_name_themselves) {
  nodes[MYTHREAD].value = MYTHREAD;
  nodes[MYTHREAD].next = MYTHREAD + 1 < THREADS ? &nodes[MYTHREAD + 1] : NULL;
  upc_barrier;
  int sum = 0, count = 0;
  for (shared struct node *p = &nodes[0]; p != NULL; p = p->next) sum += p->value, count++;
  CHECK(count == THREADS && sum == THREADS * (THREADS - 1) / 2);
  shared struct node *p = nodes;
  CHECK(upc_threadof(p + 1) == 1 % THREADS);
}

CASE(types_that_are_complete_later) {
  struct tree t = {(shared [] leaf *)&leaves[0], &leaves[THREADS - 1]};
  leaves[MYTHREAD].size = 3 + MYTHREAD;
  upc_barrier;
  CHECK(t.left->size == 3 && t.right->size == 2 + THREADS && upc_threadof(t.right) == THREADS - 1);
}

CASE(several_in_one_declaration) {
  CHECK(sizeof(second) == 2 * THREADS * sizeof(int) && upc_threadof(&second[1]) == 1 % THREADS);
}

int main(void) {
  RUN(initial_values);
  RUN(the_rest_is_zero);
  RUN(addresses_as_initial_values);
  RUN(threads_as_outer_dimension);
  RUN(threads_as_inner_dimension);
  RUN(threads_in_the_middle);
  RUN(static_variables_of_functions);
  RUN(local_names_hide_arrays);
  RUN(members_may_have_the_name_of_an_array);
  RUN(declared_before_they_are_defined);
  RUN(lists_of_structs_that_name_themselves);
  RUN(types_that_are_complete_later);
  RUN(several_in_one_declaration);
  return done();
}
