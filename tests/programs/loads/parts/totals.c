#include "totals.h"

int total;

int total_so_far(void) { return total; /*{load_total}*/ }
