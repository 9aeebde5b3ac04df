#include "kernels/core/require.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void require_failed(const char *file, int line, const char *condition,
                    const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%d: not so: %s; ", file, line, condition);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}
