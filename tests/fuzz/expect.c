#include "tests/fuzz/expect.h"

#include <stdio.h>
#include <stdlib.h>

void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "expected: %s\n", what);
    abort();
}

void *allocate(size_t size)
{
    void *memory = calloc(1, size ? size : 1);

    expect(memory != NULL, "memory");
    return memory;
}
