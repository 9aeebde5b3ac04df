#include "server/config/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/status.h"

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

const struct option_unit_text option_unit_texts[] = {
    [OPTION_PLAIN] = {"", "", ""},
    [OPTION_BYTES] = {"bytes", SIZES, ", in bytes without a suffix"},
    [OPTION_MILLISECONDS] = {"milliseconds", TIMES,
                             ", in milliseconds without a suffix"},
    [OPTION_SECONDS] = {"seconds", TIMES, ", in seconds without a suffix"},
};

static const struct {
    const struct suffix *suffixes;
    int64_t factor; /* of the unit itself */
} units[] = {
    [OPTION_PLAIN] = {none, 1},
    [OPTION_BYTES] = {sizes, 1},
    [OPTION_MILLISECONDS] = {times, 1},
    [OPTION_SECONDS] = {times, 1000},
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

int64_t option_compute(const struct option *option)
{
    int64_t value = option->compute();

    if (value < option->min)
        return option->min;
    return value > option->max ? option->max : value;
}

void option_variable(const struct option *option,
                     char text[OPTION_VARIABLE_SIZE])
{
    snprintf(text, OPTION_VARIABLE_SIZE, "FLIPD_%s", option->name);
    for (char *c = text; *c; c++)
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

static void list_choices(const char *const *choices, const char *separator,
                         char text[OPTION_VALUES_SIZE])
{
    size_t len = 0;

    for (int i = 0; choices[i]; i++)
        len += (size_t)snprintf(text + len, OPTION_VALUES_SIZE - len, "%s%s",
                                i ? separator : "", choices[i]);
}

const char *option_values(const struct option *option, const char *separator,
                          char text[OPTION_VALUES_SIZE])
{
    static const char *const truths[] = {"true", "false", NULL};
    char least[OPTION_NUMBER_SIZE], most[OPTION_NUMBER_SIZE];

    *text = '\0';
    if (option->kind == OPTION_NUMBER)
        snprintf(text, OPTION_VALUES_SIZE, "%s..%s",
                 option_number_print(option->min, option->unit, least),
                 option_number_print(option->max, option->unit, most));
    else if (option->kind == OPTION_CHOICE)
        list_choices(option->choices, separator, text);
    else if (option->kind == OPTION_FLAG)
        list_choices(truths, separator, text);
    else if (option->stands_for)
        snprintf(text, OPTION_VALUES_SIZE, "%s", option->stands_for);
    return text;
}

static const char *show(const char *value, char text[OPTION_SHOWN_SIZE])
{
    return shorten(value, strlen(value), text, OPTION_SHOWN_SIZE);
}

static int64_t *number_at(struct options *options, const struct option *option)
{
    return (int64_t *)(void *)((char *)options + option->offset);
}

static bool set_number(struct options *options, const struct option *option,
                       const struct option_given *given, struct status *st)
{
    const struct option_unit_text *unit = &option_unit_texts[option->unit];
    bool has_unit = option->unit != OPTION_PLAIN;
    char shown[OPTION_SHOWN_SIZE];
    int64_t value;

    if (option_number_parse(given->value, option->unit, &value) &&
        value >= option->min && value <= option->max) {
        *number_at(options, option) = value;
        return true;
    }
    return status_fail(st, STATUS_INVALID,
                       "%s is \"%s\", but must be a whole number in %" PRId64
                       "..%" PRId64 "%s%s%s%s",
                       given->source, show(given->value, shown), option->min,
                       option->max, has_unit ? " " : "", unit->name,
                       has_unit ? ", or with " : "", unit->suffixes);
}

static bool set_flag(struct options *options, const struct option *option,
                     const struct option_given *given, struct status *st)
{
    bool on = strcmp(given->value, "true") == 0;
    char value[OPTION_SHOWN_SIZE];

    if (!on && strcmp(given->value, "false") != 0)
        return status_fail(st, STATUS_INVALID,
                           "%s is \"%s\", but must be true or false",
                           given->source, show(given->value, value));
    *(bool *)((char *)options + option->offset) = on;
    return true;
}

/* Of an option that may be given once, or several times: then `texts`. */
static bool set_text(struct options *options, const struct option *option,
                     const struct option_given *given, struct status *st)
{
    void *at = (char *)options + option->offset;
    struct option_texts *texts = at;

    if (!*given->value)
        return status_fail(st, STATUS_INVALID, "%s is empty", given->source);
    if (option->kind == OPTION_TEXT)
        *(const char **)at = given->value;
    else if (texts->count == OPTION_MAX_TEXTS)
        return status_fail(st, STATUS_INVALID, "%s is given more than %d times",
                           given->source, OPTION_MAX_TEXTS);
    else
        texts->all[texts->count++] = given->value;
    return true;
}

static bool set_choice(struct options *options, const struct option *option,
                       const struct option_given *given, struct status *st)
{
    char names[OPTION_VALUES_SIZE], value[OPTION_SHOWN_SIZE];

    for (int i = 0; option->choices[i]; i++)
        if (strcmp(option->choices[i], given->value) == 0) {
            *number_at(options, option) = i;
            return true;
        }
    return status_fail(st, STATUS_INVALID,
                       "%s is \"%s\", but must be one of %s", given->source,
                       show(given->value, value),
                       option_values(option, ", ", names));
}

bool option_set(struct options *options, const struct option *option,
                const struct option_given *given, struct status *st)
{
    switch (option->kind) {
    case OPTION_NUMBER:
        return set_number(options, option, given, st);
    case OPTION_FLAG:
        return set_flag(options, option, given, st);
    case OPTION_TEXT:
    case OPTION_TEXTS:
        return set_text(options, option, given, st);
    case OPTION_CHOICE:
        return set_choice(options, option, given, st);
    case OPTION_ACTION:
        break;
    }
    *(int *)(void *)((char *)options + option->offset) = (int)option->min;
    return true;
}

bool option_set_default(struct options *options, const struct option *option,
                        struct status *st)
{
    const struct option_given given = {"the default", option->fallback};

    if (option->compute)
        *number_at(options, option) = option_compute(option);
    return !given.value || option_set(options, option, &given, st);
}
