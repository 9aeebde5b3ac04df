/* shape_print(), of RANK dims of 1 to DIGITS digits each, or DIGITS where
 * IS_LONGEST is 1, into SIZE bytes: the whole text or, where that does not fit,
 * as many whole dims as do. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/core/tensor.h"
#include "tests/proofs/harness.h"

static const struct shape *printed;
static char whole[RANK * (DIGITS + 2) + 2]; /* but for its last bracket */
static size_t end;
static int dims;

/* Writes what the two formats that there are say, no more than fits. */
int snprintf(char *text, size_t size, const char *format, ...)
{
    va_list args;
    size_t start = end, len = 0, precision, digits;
    const char *from, *mark;

    va_start(args, format);
    if (format[1] == '.') {
        precision = (size_t)va_arg(args, int);
        from = va_arg(args, const char *);
        for (; len < precision && len + 1 < size; len++)
            text[len] = from[len];
        for (mark = va_arg(args, const char *); *mark && len + 1 < size;)
            text[len++] = *mark++;
        text[len] = '\0';
        return 0;
    }
    mark = va_arg(args, const char *);
    CHECK(strcmp(mark, dims > 0 ? ", " : "") == 0);
    for (; *mark; mark++)
        whole[end++] = *mark;
    CHECK(va_arg(args, int64_t) == printed->dims[dims++]);
    va_end(args);
    digits = IS_LONGEST ? DIGITS : any_below(DIGITS) + 1;
    for (; digits > 0; digits--, end++)
        whole[end] = (char)('a' + end); /* says where it is */
    len = end - start;
    CHECK(len < size);
    ASSUME(len < size);
    for (size_t i = 0; i < len; i++)
        text[i] = whole[start + i];
    return (int)len;
}

int main(void)
{
    struct shape shape = {.rank = RANK};
    char text[SIZE + 1];
    size_t len, any = any_below(SIZE);
    bool fits;

    for (int i = 0; i < RANK; i++)
        shape.dims[i] = (int64_t)nondet_size();
    printed = &shape;
    whole[end++] = '[';
    text[SIZE] = 'x';
    CHECK(shape_print(&shape, text, SIZE) == text && text[SIZE] == 'x');
    CHECK(dims == RANK);
    whole[end++] = ']';
    len = strlen(text);
    fits = end < SIZE;
    CHECK(len < SIZE && (!fits || len == end));
    if (!fits) {
        len -= 3;
        CHECK(strcmp(text + len, "...") == 0);
        CHECK(whole[len - 1] == ' ' || whole[len - 1] == '[');
        /* No other dim would have room. */
        for (size_t i = len; i < SIZE - 4; i++)
            CHECK(whole[i] != ' ');
    }
    ASSUME(any < len);
    CHECK(text[any] == whole[any]);
    REACHED();
}
