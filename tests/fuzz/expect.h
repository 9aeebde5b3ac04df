/* What a fuzz target holds its subject to: a broken promise ends the process,
 * which is how the fuzzer learns of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define EXPECT(what) expect(what, #what)

void expect(bool holds, const char *what);

/* Zeroed memory of just this size, or of one byte. Never NULL; free() it. */
void *allocate(size_t size);
