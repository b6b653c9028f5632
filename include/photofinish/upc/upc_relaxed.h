// Accesses without strict or relaxed are relaxed from here on.
#pragma upc relaxed
#include <upc.h>
