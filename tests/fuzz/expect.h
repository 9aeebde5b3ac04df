/* Assertions of the fuzz targets. A failed one ends the process, which the
 * fuzzer reports. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define EXPECT(what) expect(what, #what)

void expect(bool holds, const char *what);

/* Zeroed memory of just this size, or of one byte. Never NULL; free() it. */
void *allocate(size_t size);
