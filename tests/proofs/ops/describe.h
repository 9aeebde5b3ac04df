/* What the operators' harnesses share: a call whose every value is symbolic,
 * and bodies for the texts, which are not looked at. */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ops/op.h"
#include "tests/proofs/harness.h"

/* What the control input holds at most. */
enum { MOST_ENTRIES = 2 };

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

/* Of a number the first digits are enough: how many are is libc's affair. */
static double printed;

int snprintf(char *text, size_t size, const char *format, ...)
{
    va_list args;

    CHECK(size >= 2);
    text[0] = (char)nondet_byte();
    text[1] = '\0';
    if (format[1] == '.' && format[2] == '*' && format[3] == 'g') {
        va_start(args, format);
        (void)va_arg(args, int);
        printed = va_arg(args, double);
        va_end(args);
    }
    return 1;
}

double strtod(const char *text, char **end)
{
    CHECK(text && !end);
    return printed;
}

void require_failed(const char *file, int line, const char *condition,
                    const char *format, ...)
{
    CHECK(!file); /* never called */
    ASSUME(false);
}

/* Any shape whose elements can be counted. */
static inline void any_shape(struct shape *shape)
{
    uint64_t count;
    struct status st;

    shape->rank = RANK;
    for (int i = 0; i < RANK; i++) {
        shape->dims[i] = nondet_int64();
        ASSUME(shape->dims[i] >= 0);
    }
    ASSUME(shape_count(shape, "", &count, &st));
}

/* A control input whose data is as long as its shape and datatype say. */
static inline void any_control(struct tensor *control)
{
    control->name = "control";
    control->dtype = (enum dtype)any_below(DTYPE_COUNT);
    control->shape.rank = (int)any_below(3);
    for (int i = 0; i < 2; i++)
        control->shape.dims[i] = (int64_t)any_below(MOST_ENTRIES + 1);
    control->data = malloc(MOST_ENTRIES * 8); /* any contents */
    ASSUME(control->data);
}

/* Integer `index` of the control input, read another way: bit by bit. False
 * where it is past int64. */
static inline bool control_integer(const struct tensor *control, size_t index,
                                   int64_t *value)
{
    unsigned bytes = dtype_info(control->dtype)->bits / 8;
    bool is_signed = dtype_info(control->dtype)->kind == DTYPE_KIND_INT;
    uint64_t bits = 0;

    for (unsigned i = 0; i < bytes; i++)
        bits |= (uint64_t)control->data[index * bytes + i] << 8 * i;
    if (is_signed && bytes < 8 && bits >> (8 * bytes - 1))
        bits -= (uint64_t)1 << 8 * bytes;
    *value = (int64_t)bits;
    return is_signed || *value >= 0;
}
