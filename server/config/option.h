/* One option: a row of the table of all options (options_table.h), and the
 * texts that follow from it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/config/option_number.h"

enum option_kind {
    OPTION_NUMBER,
    OPTION_FLAG,   /* a bool; its value, if any, follows a '=' */
    OPTION_TEXT,   /* any text but the empty one */
    OPTION_TEXTS,  /* a text that may be given several times */
    OPTION_CHOICE, /* one of `choices`; the int64_t is its index */
    OPTION_ACTION, /* such as --help; `min` is the enum options_action */
};

/* In the order of option_groups. */
enum option_group {
    OPTION_LISTENING,
    OPTION_THREADS,
    OPTION_LIMITS,
    OPTION_TIMES,
    OPTION_MODELS,
    OPTION_TLS,
    OPTION_ACCESS,
    OPTION_LOG,
    OPTION_STOPPING,
    OPTION_ACTIONS,
};

struct option {
    enum option_group group; /* rows of a group stand together */
    const char *name;        /* without the dashes; NULL ends the table */
    enum option_kind kind;
    size_t offset; /* in struct options */
    const char *help;
    const char *fallback; /* default as typed; NULL: from compute(), or none;
                           * a number without a default is 0 */
    int64_t min, max;
    enum option_unit unit;      /* of numbers */
    int64_t (*compute)(void);   /* default that depends on the host */
    const char *computed;       /* describes the default in --help */
    const char *const *choices; /* ends with NULL */
    const char *stands_for;     /* a text: "FILE" */
};

enum { OPTION_VARIABLE_SIZE = 64, OPTION_VALUES_SIZE = 80 };

/* The default that depends on the host, in the option's range; for options with
 * compute() only. */
int64_t option_compute(const struct option *option);

/* Writes the name of the option's environment variable to `text`. */
void option_variable(const struct option *option,
                     char text[OPTION_VARIABLE_SIZE]);

/* Writes the values that an option takes: "0..65535", "1MiB..1PiB", "text|json"
 * with `separator` between choices, "FILE"; "" for an action. Returns `text`.
 */
const char *option_values(const struct option *option, const char *separator,
                          char text[OPTION_VALUES_SIZE]);
