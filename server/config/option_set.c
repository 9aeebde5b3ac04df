#include "server/config/option_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/core/shorten.h"

static const char *show(const char *value, char text[OPTION_SHOWN_SIZE])
{
    return shorten(value, strlen(value), text, OPTION_SHOWN_SIZE);
}

static int64_t *number_at(struct options *options, const struct option *option)
{
    return (int64_t *)(void *)((char *)options + option->offset);
}

static bool fail_number(const struct option *option,
                        const struct option_given *given, struct status *st)
{
    const char *unit = option_number_unit(option->unit);
    char value[OPTION_SHOWN_SIZE];

    return status_fail(st, STATUS_INVALID,
                       "%s is \"%s\", but must be a whole number in %" PRId64
                       "..%" PRId64 "%s%s%s%s",
                       given->source, show(given->value, value), option->min,
                       option->max, *unit ? " " : "", unit,
                       *unit ? ", or with " : "",
                       option_number_suffixes(option->unit));
}

static bool set_number(struct options *options, const struct option *option,
                       const struct option_given *given, struct status *st)
{
    int64_t value;

    if (!option_number_parse(given->value, option->unit, &value) ||
        value < option->min || value > option->max)
        return fail_number(option, given, st);
    *number_at(options, option) = value;
    return true;
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

static bool set_text(struct options *options, const struct option *option,
                     const struct option_given *given, struct status *st)
{
    if (!*given->value)
        return status_fail(st, STATUS_INVALID, "%s is empty", given->source);
    *(const char **)(void *)((char *)options + option->offset) = given->value;
    return true;
}

static bool set_texts(struct options *options, const struct option *option,
                      const struct option_given *given, struct status *st)
{
    struct option_texts *texts = (void *)((char *)options + option->offset);

    if (!*given->value)
        return status_fail(st, STATUS_INVALID, "%s is empty", given->source);
    if (texts->count == OPTIONS_MAX_TEXTS)
        return status_fail(st, STATUS_INVALID, "%s is given more than %d times",
                           given->source, OPTIONS_MAX_TEXTS);
    texts->all[texts->count++] = given->value;
    return true;
}

static bool set_choice(struct options *options, const struct option *option,
                       const struct option_given *given, struct status *st)
{
    char names[64] = "", value[OPTION_SHOWN_SIZE];
    size_t len = 0;

    for (int i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], given->value) == 0) {
            *number_at(options, option) = i;
            return true;
        }
        len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
                                i ? ", " : "", option->choices[i]);
    }
    return status_fail(st, STATUS_INVALID,
                       "%s is \"%s\", but must be one of %s", given->source,
                       show(given->value, value), names);
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
        return set_text(options, option, given, st);
    case OPTION_TEXTS:
        return set_texts(options, option, given, st);
    case OPTION_CHOICE:
        return set_choice(options, option, given, st);
    case OPTION_ACTION:
        break;
    }
    options->action = (enum options_action)option->min;
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
