#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/shorten.h"
#include "server/config/option_names.h"
#include "server/config/option_set.h"
#include "server/config/options.h"

/* Sets an option from the environment, or to its default. An empty variable
 * counts as absent: compose files and charts pass options that way. */
static bool set_initial(struct options *options, const struct option *option,
                        struct status *st)
{
    char variable[OPTION_VARIABLE_SIZE];
    struct option_given given = {variable, NULL};

    option_variable(option, variable);
    given.value = getenv(variable);
    if (given.value && *given.value &&
        !option_names_is_link(variable, given.value))
        return option_set(options, option, &given, st);
    return option_set_default(options, option, st);
}

/* The option of this name, given without the dashes. */
static const struct option *find(const char *name, size_t len)
{
    for (const struct option *option = option_table; option->name; option++)
        if (strlen(option->name) == len && !memcmp(option->name, name, len))
            return option;
    return NULL;
}

static bool fail_word(const char *word, struct status *st)
{
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return status_fail(st, STATUS_INVALID,
                           "%s stands alone: a flag's value is written behind "
                           "an equals sign, as in --access-log=%s",
                           word, word);
    return status_fail(st, STATUS_INVALID,
                       "%s is not an option: flipd takes options only, and "
                       "serves without any; --help lists them",
                       word);
}

/* What stands behind '=' may be a secret. */
static bool fail_unknown(const char *argument, size_t len, struct status *st)
{
    size_t dashes = strspn(argument, "-");
    const char *name = argument + dashes;
    const struct option *nearest =
        dashes > 0 ? option_names_nearest(name, len - dashes)
                   : option_names_mistyped(name, len);
    char shown[OPTION_SHOWN_SIZE];

    shorten(argument, len, shown, sizeof(shown));
    if (nearest)
        return status_fail(st, STATUS_INVALID,
                           "%s is not an option; did you mean --%s? --help "
                           "lists them",
                           shown, nearest->name);
    return dashes > 0
               ? status_fail(st, STATUS_INVALID,
                             "%s is not an option; --help lists them", shown)
               : fail_word(shown, st);
}

/* Reads argv[*at] and, if the value is an argument of its own, the next one,
 * which is none if it begins as an option does: an empty variable of a script
 * would let the option before it swallow that option. Marks the option's row.
 */
static bool read_argument(struct options *options, char *const argv[], int *at,
                          bool *marks, struct status *st)
{
    const char *argument = strcmp(argv[*at], "-h") == 0 ? "--help" : argv[*at];
    const char *value = strchr(argument, '=');
    size_t len = value ? (size_t)(value - argument) : strlen(argument);
    const struct option *option = NULL;
    char source[OPTION_VARIABLE_SIZE];
    struct option_given given = {source, value ? value + 1 : NULL};

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
    marks[option - option_table] = true;
    return option_set(options, option, &given, st);
}

/* Options that the command line leaves open. */
static bool read_environment(struct options *options, const bool *marks,
                             struct status *st)
{
    struct status further;
    bool ok = true;

    for (int row = 0; option_table[row].name; row++)
        if (!marks[row] && option_table[row].kind != OPTION_ACTION)
            ok = set_initial(options, &option_table[row], ok ? st : &further) &&
                 ok;
    return ok;
}

static bool needs_no_options(enum options_action action)
{
    return action == OPTIONS_HELP || action == OPTIONS_VERSION;
}

/* The command line is read first: a variable that it overrides may have any
 * value. After an error the rest is read too: the error is written in the log's
 * format, which may be given behind it. */
bool options_load(struct options *options, int argc, char *const argv[],
                  struct status *st)
{
    bool marks[OPTIONS_TABLE_ROWS] = {false}, ok = true;
    struct status further;

    *options = (struct options){.action = OPTIONS_SERVE};
    for (int i = 1; i < argc; i++)
        ok = read_argument(options, argv, &i, marks, ok ? st : &further) && ok;
    if (ok && needs_no_options(options->action))
        return true;
    return read_environment(options, marks, ok ? st : &further) && ok;
}
