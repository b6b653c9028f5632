// Types of shared objects, and expressions with them.
#include "check.h"

struct point { int x, y; };
struct record { char name[10]; struct point at; double weight; int few : 3, more : 7; };
union number { int i; float f; unsigned char bytes[8]; };
enum color { RED, GREEN, BLUE };

shared struct point points[3 * THREADS];
shared [2] struct record records[4 * THREADS];
shared union number numbers[THREADS];
shared enum color colors[THREADS];
shared char letters[5 * THREADS];
shared _Bool flags[THREADS];
shared short shorts[THREADS];
shared unsigned long long wide[THREADS];
shared float floats[THREADS];
shared long double precise[THREADS];
shared int total;
typedef shared [3] int triple;
triple triples[6 * THREADS];
typedef struct { int key; shared int *link; } entry;
shared entry entries[THREADS];
struct nested { struct point corner[2]; int tail; };
shared struct nested boxes[THREADS];

#define NEXT ((MYTHREAD + 1) % THREADS)

CASE(small_integers) {
  shorts[NEXT] = -7;
  wide[NEXT] = 1ull << 60;
  flags[NEXT] = 5;
  letters[NEXT] = 'x';
  upc_barrier;
  CHECK(shorts[MYTHREAD] == -7 && wide[MYTHREAD] == 1ull << 60 && flags[MYTHREAD] == 1 && letters[MYTHREAD] == 'x');
}

CASE(floating_point) {
  floats[NEXT] = 1.5f;
  precise[NEXT] = 0.25L;
  upc_barrier;
  CHECK(floats[MYTHREAD] == 1.5f && precise[MYTHREAD] == 0.25L && floats[MYTHREAD] * 2 == 3);
}

CASE(enumerations) {
  colors[NEXT] = BLUE;
  upc_barrier;
  CHECK(colors[MYTHREAD] == BLUE);
}

CASE(members) {
  points[NEXT].x = 3 + MYTHREAD;
  points[NEXT].y = -1;
  upc_barrier;
  CHECK(points[MYTHREAD].x == 3 + (MYTHREAD + THREADS - 1) % THREADS && points[MYTHREAD].y == -1);
}

CASE(copies_of_structs) {
  struct record mine = {"abc", {1, 2}, 2.5, 3, 60}, other;
  records[2 * NEXT] = mine;
  upc_barrier;
  other = records[2 * MYTHREAD];
  CHECK(strcmp(other.name, "abc") == 0 && other.at.y == 2 && other.weight == 2.5 && other.few == 3 && other.more == 60);
  upc_barrier;
  records[2 * NEXT + 1] = records[2 * MYTHREAD];
  upc_barrier;
  CHECK(records[2 * MYTHREAD + 1].weight == 2.5 && records[2 * MYTHREAD + 1].name[1] == 'b');
}

CASE(structs_inside_structs) {
  struct point p = {8, 9};
  records[2 * NEXT].at = p;
  upc_barrier;
  struct point q = records[2 * MYTHREAD].at;
  CHECK(q.x == 8 && q.y == 9);
}

CASE(bit_fields) {
  records[2 * NEXT].few = -2;
  records[2 * NEXT].more = 41;
  upc_barrier;
  CHECK(records[2 * MYTHREAD].few == -2 && records[2 * MYTHREAD].more == 41);
  records[2 * MYTHREAD].more++;
  CHECK(records[2 * MYTHREAD].more == 42 && records[2 * MYTHREAD].few == -2);
}

CASE(unions) {
  numbers[NEXT].f = 1.0f;
  upc_barrier;
  CHECK(numbers[MYTHREAD].i == 0x3f800000 && numbers[MYTHREAD].bytes[3] == 0x3f);
}

static int sum(struct point p) { return p.x + p.y; }
static struct point read_point(int i) { return points[i]; }

CASE(structs_as_arguments_and_results) {
  struct point p = {4, 5};
  points[MYTHREAD] = p;
  upc_barrier;
  CHECK(sum(points[NEXT]) == 9 && read_point(NEXT).y == 5);
}

CASE(addresses_of_members) {
  shared [] int *y = &points[NEXT].y;
  *y = 31;
  upc_barrier;
  CHECK(points[MYTHREAD].y == 31 && upc_threadof(y) == NEXT);
  shared struct point *p = &points[NEXT];
  CHECK(*&p->y == 31 && &p->x == &points[NEXT].x);
}

CASE(addresses_of_private_members) {
  struct record mine = {"q", {6, 7}};
  const struct record *p = &mine;
  const int *x = &p->at.x;
  char *name = &mine.name[0];
  CHECK(*x == 6 && *name == 'q');
}

CASE(arrays_in_structs) {
  for (int i = 0; i < 9; i++) records[2 * NEXT].name[i] = 'a' + i;
  upc_barrier;
  shared [] char *third = &records[2 * MYTHREAD].name[2];
  CHECK(*third == 'c' && third[3] == 'f' && records[2 * MYTHREAD].name[8] == 'i');
}

CASE(addresses_through_pointers_in_members) {
  struct { shared [3] int *p; } holder = {&triples[1]};
  shared [3] int *q = &holder.p[3];
  CHECK(q == &triples[4] && upc_phaseof(q) == 1);
}

CASE(pointers_as_members) {
  entries[MYTHREAD].key = MYTHREAD;
  entries[MYTHREAD].link = &total;
  upc_barrier;
  CHECK(entries[NEXT].link == &total && entries[NEXT].key == NEXT);
  entry copy = entries[NEXT];
  CHECK(copy.link == &total);
}

CASE(nested_arrays_and_structs) {
  boxes[NEXT].corner[1].y = 12;
  boxes[NEXT].tail = 13;
  upc_barrier;
  CHECK(boxes[MYTHREAD].corner[1].y == 12 && boxes[MYTHREAD].tail == 13);
  shared [] int *y = &boxes[MYTHREAD].corner[1].y;
  CHECK(*y == 12);
}

CASE(typedef_names) {
  triple *p = &triples[4];
  CHECK(upc_threadof(p) == 1 % THREADS && upc_phaseof(p) == 1);
  if (MYTHREAD == 0) *p = 6;
  upc_barrier;
  CHECK(triples[4] == 6);
}

CASE(operators_with_assignment) {
  if (MYTHREAD == THREADS - 1) {
    total = 5;
    total += 4;
    total *= 2;
    total++;
    --total;
    total <<= 1;
    total ^= 1;
  }
  upc_barrier;
  CHECK(total == 37 && total / 2 == 18 && -total == -37 && !(total == 3));
}

CASE(conversions) {
  upc_barrier;
  if (MYTHREAD == 0) total = 300;
  upc_barrier;
  char low = total;
  double exact = total;
  CHECK(low == 44 && exact == 300.0 && (short)total == 300);
}

CASE(conditions_and_commas) {
  int a = total ? total : -1, b = (failures += 0 * total, 4), c = total > 1 && total < 1000;
  CHECK(a == 300 && b == 4 && c == 1);
}

CASE(varying_arguments) {
  char text[40];
  snprintf(text, sizeof text, "%d %d", total, (int)upc_threadof(&total));
  CHECK(strcmp(text, "300 0") == 0);
}

int main(void) {
  RUN(small_integers);
  RUN(floating_point);
  RUN(enumerations);
  RUN(members);
  RUN(copies_of_structs);
  RUN(structs_inside_structs);
  RUN(bit_fields);
  RUN(unions);
  RUN(structs_as_arguments_and_results);
  RUN(addresses_of_members);
  RUN(addresses_of_private_members);
  RUN(arrays_in_structs);
  RUN(addresses_through_pointers_in_members);
  RUN(pointers_as_members);
  RUN(nested_arrays_and_structs);
  RUN(typedef_names);
  RUN(operators_with_assignment);
  RUN(conversions);
  RUN(conditions_and_commas);
  RUN(varying_arguments);
  return done();
}
