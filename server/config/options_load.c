#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/config/option_names.h"
#include "server/config/options.h"

/* A value and its source, which error messages name. */
struct assignment {
    const char *source; /* "--http-port" or "FLIPD_HTTP_PORT" */
    const char *value;
};

static int64_t *number_at(struct options *options, const struct option *option)
{
    return (int64_t *)(void *)((char *)options + option->offset);
}

static bool fail_number(const struct option *option,
                        const struct assignment *given, struct status *st)
{
    const char *unit = option_number_unit(option->unit);

    return status_fail(
        st, STATUS_INVALID,
        "%s is \"%.100s\", but must be a whole number in %" PRId64 "..%" PRId64
        "%s%s%s%s",
        given->source, given->value, option->min, option->max, *unit ? " " : "",
        unit, *unit ? ", or with " : "", option_number_suffixes(option->unit));
}

static bool set_number(struct options *options, const struct option *option,
                       const struct assignment *given, struct status *st)
{
    int64_t value;

    if (!option_number_parse(given->value, option->unit, &value) ||
        value < option->min || value > option->max)
        return fail_number(option, given, st);
    *number_at(options, option) = value;
    return true;
}

static bool set_flag(struct options *options, const struct option *option,
                     const struct assignment *given, struct status *st)
{
    bool on = strcmp(given->value, "true") == 0;

    if (!on && strcmp(given->value, "false") != 0)
        return status_fail(st, STATUS_INVALID,
                           "%s is \"%s\", but must be true or false",
                           given->source, given->value);
    *(bool *)((char *)options + option->offset) = on;
    return true;
}

static bool set_text(struct options *options, const struct option *option,
                     const struct assignment *given, struct status *st)
{
    if (!*given->value)
        return status_fail(st, STATUS_INVALID, "%s is empty", given->source);
    *(const char **)(void *)((char *)options + option->offset) = given->value;
    return true;
}

static bool set_texts(struct options *options, const struct option *option,
                      const struct assignment *given, struct status *st)
{
    struct option_texts *texts = (void *)((char *)options + option->offset);
    bool from_environment = strncmp(given->source, "--", 2) != 0;

    if (!*given->value)
        return status_fail(st, STATUS_INVALID, "%s is empty", given->source);
    if (texts->from_environment != from_environment)
        texts->count = 0;
    texts->from_environment = from_environment;
    if (texts->count == OPTIONS_MAX_TEXTS)
        return status_fail(st, STATUS_INVALID, "%s is given more than %d times",
                           given->source, OPTIONS_MAX_TEXTS);
    texts->all[texts->count++] = given->value;
    return true;
}

static bool set_choice(struct options *options, const struct option *option,
                       const struct assignment *given, struct status *st)
{
    char names[64] = "";
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
                       given->value, names);
}

static bool set(struct options *options, const struct option *option,
                const struct assignment *given, struct status *st)
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

/* Sets an option from the environment, or to its default. An empty variable
 * counts as absent: compose files and charts pass options that way. */
static bool set_initial(struct options *options, const struct option *option,
                        struct status *st)
{
    char variable[OPTION_VARIABLE_SIZE];
    struct assignment given = {variable, NULL};

    if (option->kind == OPTION_ACTION)
        return true;
    option_variable(option, variable);
    given.value = getenv(variable);
    if (given.value && *given.value)
        return set(options, option, &given, st);
    if (option->compute) {
        *number_at(options, option) = option_compute(option);
        return true;
    }
    if (!option->fallback)
        return true;
    given.value = option->fallback;
    return set(options, option, &given, st);
}

/* The option of this name, given without the dashes. */
static const struct option *find(const char *name, size_t len)
{
    for (const struct option *option = option_table; option->name; option++)
        if (strlen(option->name) == len && !memcmp(option->name, name, len))
            return option;
    return NULL;
}

/* What stands behind '=' may be a secret. */
static bool fail_unknown(const char *argument, size_t len, struct status *st)
{
    int shown = (int)(len < 100 ? len : 100);
    size_t dashes = strspn(argument, "-");
    const struct option *nearest =
        dashes < len ? option_names_nearest(argument + dashes, len - dashes)
                     : NULL;

    if (strcmp(argument, "true") == 0 || strcmp(argument, "false") == 0)
        return status_fail(st, STATUS_INVALID,
                           "%s stands alone: a flag's value is written behind "
                           "an equals sign, as in --access-log=%s",
                           argument, argument);
    if (!nearest)
        return status_fail(st, STATUS_INVALID,
                           "%.*s is not an option; --help lists them", shown,
                           argument);
    return status_fail(st, STATUS_INVALID,
                       "%.*s is not an option; did you mean --%s? --help "
                       "lists them",
                       shown, argument, nearest->name);
}

/* Reads argv[*at] and, if the value is an argument of its own, the next one,
 * which is none if it begins as an option does: an empty variable of a script
 * would let the option before it swallow that option. */
static bool read_argument(struct options *options, char *const argv[], int *at,
                          struct status *st)
{
    const char *argument = strcmp(argv[*at], "-h") == 0 ? "--help" : argv[*at];
    const char *value = strchr(argument, '=');
    size_t len = value ? (size_t)(value - argument) : strlen(argument);
    const struct option *option = NULL;
    char source[OPTION_VARIABLE_SIZE];
    struct assignment given = {source, value ? value + 1 : NULL};

    if (len > 2 && strncmp(argument, "--", 2) == 0)
        option = find(argument + 2, len - 2);
    if (!option)
        return fail_unknown(argument, len, st);
    snprintf(source, sizeof(source), "--%s", option->name);
    if (option->kind == OPTION_ACTION && value)
        return status_fail(st, STATUS_INVALID, "%s takes no value", source);
    if (option->kind == OPTION_FLAG && !value)
        given.value = "true";
    else if (option->kind != OPTION_ACTION && !value && argv[*at + 1] &&
             strncmp(argv[*at + 1], "--", 2) != 0)
        given.value = argv[++*at];
    if (option->kind != OPTION_ACTION && !given.value)
        return status_fail(st, STATUS_INVALID, "%s needs a value", source);
    return set(options, option, &given, st);
}

/* After an error the rest is read too: the error is written in the log's
 * format, which may be given behind it. */
bool options_load(struct options *options, int argc, char *const argv[],
                  struct status *st)
{
    struct status further;
    bool ok = true;

    *options = (struct options){.action = OPTIONS_SERVE};
    for (const struct option *option = option_table; option->name; option++)
        ok = set_initial(options, option, ok ? st : &further) && ok;
    for (int i = 1; i < argc; i++)
        ok = read_argument(options, argv, &i, ok ? st : &further) && ok;
    return ok;
}
