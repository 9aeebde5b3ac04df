#include "server/config/option_number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A suffix and what it multiplies by: bytes, or milliseconds. */
struct suffix {
    const char *name;
    int64_t factor;
};

static const struct suffix none[] = {{NULL, 0}};
static const struct suffix sizes[] = {
    {"KiB", INT64_C(1) << 10}, {"MiB", INT64_C(1) << 20},
    {"GiB", INT64_C(1) << 30}, {"TiB", INT64_C(1) << 40},
    {"PiB", INT64_C(1) << 50}, {NULL, 0}};
static const struct suffix times[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {NULL, 0}};

#define SIZES "KiB, MiB, GiB, TiB or PiB"
#define TIMES "ms, s, m or h"

/* In the order of enum option_unit. */
static const struct {
    const char *name, *names; /* of the unit, of its suffixes */
    const char *hint;
    const struct suffix *suffixes;
    int64_t factor; /* of the unit itself */
} units[] = {
    {"", "", "", none, 1},
    {"bytes", SIZES, ", in bytes without a suffix", sizes, 1},
    {"milliseconds", TIMES, ", in milliseconds without a suffix", times, 1},
    {"seconds", TIMES, ", in seconds without a suffix", times, 1000},
};

const char option_number_note[] =
    "Bytes may have the suffix " SIZES ",\ntimes " TIMES ".\n";

/* 0: there is no such suffix. */
static int64_t factor_of(enum option_unit unit, const char *name)
{
    const struct suffix *s = units[unit].suffixes;

    if (!*name)
        return units[unit].factor;
    while (s->name && strcmp(s->name, name) != 0)
        s++;
    return s->factor;
}

bool option_number_parse(const char *text, enum option_unit unit,
                         int64_t *value)
{
    const char *digits = text + (*text == '-');
    int64_t factor, number;
    char *end;

    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    number = strtoll(text, &end, 10);
    factor = factor_of(unit, end);
    if (errno || factor == 0 ||
        __builtin_mul_overflow(number, factor, &number) ||
        number % units[unit].factor != 0)
        return false;
    *value = number / units[unit].factor;
    return true;
}

const char *option_number_print(int64_t value, enum option_unit unit,
                                char text[OPTION_NUMBER_SIZE])
{
    const struct suffix *found = NULL;
    int64_t all = value * units[unit].factor, factor = units[unit].factor;

    for (const struct suffix *s = units[unit].suffixes; s->name; s++)
        if (all != 0 && all % s->factor == 0)
            found = s;
    if (found)
        factor = found->factor;
    snprintf(text, OPTION_NUMBER_SIZE, "%" PRId64 "%s", all / factor,
             found ? found->name : "");
    return text;
}

const char *option_number_unit(enum option_unit unit)
{
    return units[unit].name;
}

const char *option_number_suffixes(enum option_unit unit)
{
    return units[unit].names;
}

const char *option_number_hint(enum option_unit unit)
{
    return units[unit].hint;
}
