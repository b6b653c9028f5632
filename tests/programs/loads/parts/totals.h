// A total that every rank may add to, for globals.c.
#pragma once
extern int total;
int total_so_far(void);
