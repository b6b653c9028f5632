// Accesses without strict or relaxed are strict from here on.
#pragma upc strict
#include <upc.h>
