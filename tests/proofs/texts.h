/* Bodies for what writes the texts of errors, which no proof looks at. */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/status.h"
#include "tests/proofs/harness.h"

bool status_fail(struct status *st, enum status_code code, const char *fmt, ...)
{
    CHECK(fmt && code != STATUS_OK);
    st->code = code;
    return false;
}

const char *shorten(const char *text, size_t len, char *out, size_t size)
{
    CHECK(text && size >= 8);
    out[0] = (char)nondet_byte();
    out[1] = '\0';
    return out;
}

/* A double of fewer than 17 digits may read back as another one. */
static double printed, read_back;
static int digits;

int snprintf(char *text, size_t size, const char *format, ...)
{
    va_list args;

    CHECK(size >= 2);
    text[0] = (char)nondet_byte();
    text[1] = '\0';
    if (format[1] == '.' && format[2] == '*' && format[3] == 'g') {
        va_start(args, format);
        digits = va_arg(args, int);
        printed = va_arg(args, double);
        va_end(args);
    }
    return 1;
}

double strtod(const char *text, char **end)
{
    CHECK(text && !end);
    read_back = digits >= 17 ? printed : nondet_double();
    return read_back;
}

void require_failed(const char *file, int line, const char *condition,
                    const char *format, ...)
{
    CHECK(!file); /* never called */
    ASSUME(false);
}
