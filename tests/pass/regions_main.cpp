// regions_main LINE…: runs regions.c where only these of its lines matter, and then where
// everything does. Prints what was heard of each time: the names of its arrays.
#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/line_key.h"
#include "photofinish/runtime_abi.h"
#include "runtime/notes.h"
#include "runtime/regions.h"

extern "C" {
extern int a[4096], b[4096], c[4096], d[4096], e[4096];
void could_be_mpi() {}
void add(int* values, unsigned seed, int times);
int sum(const int* values, unsigned seed, int times);
void both(unsigned seed, int times);
}

namespace {

std::set<char> heard;

void hear(photofinish_site*, const void* address, std::uint64_t, const void*) {
  int* const arrays[] = {a, b, c, d, e};
  for (int i = 0; i < 5; ++i)
    if (arrays[i] <= address && address < arrays[i] + 4096)
      heard.insert(static_cast<char>('a' + i));
}

void run() {
  heard.clear();
  add(a, 1, 100);
  const int result = sum(b, 2, 100);
  both(3, 100);
  for (const char name : heard) std::putchar(name);
  std::printf(" %d %d\n", result, a[2047] + c[17] + d[100]);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::uint32_t> lines;
  for (int i = 1; i < argc; ++i)
    lines.push_back(
        photofinish::line_key("regions.c", static_cast<std::uint32_t>(std::atoi(argv[i]))));
  for (void* found : photofinish::noted(PHOTOFINISH_ABI)) {
    auto* state = static_cast<photofinish_state*>(found);
    state->access = hear;
    state->low = 1;
    state->high = ~std::uint64_t{0};
    for (std::uint8_t& mark : state->gate) mark = 1;
  }
  photofinish::pass_regions(lines, true);
  run();
  photofinish::pass_regions(lines, false);
  run();
}
