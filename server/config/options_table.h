/* The table of all options. Private to this room and its tests. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_NUMBER,
    OPTION_FLAG,   /* a bool; its value, if any, follows a '=' */
    OPTION_TEXT,   /* any text but the empty one */
    OPTION_TEXTS,  /* a text that may be given several times */
    OPTION_CHOICE, /* one of `choices`; the int64_t is its index */
    OPTION_ACTION, /* such as --help; `min` is the enum options_action */
};

struct option {
    const char *name; /* without the dashes; NULL ends the table */
    enum option_kind kind;
    size_t offset; /* in struct options */
    const char *help;
    const char *fallback; /* default as typed; NULL: from compute(), or none;
                           * a number without a default is 0 */
    int64_t min, max;
    const char *unit;           /* "bytes", "seconds", or NULL */
    int64_t (*compute)(void);   /* default that depends on the host */
    const char *computed;       /* describes the default in --help */
    const char *const *choices; /* ends with NULL */
};

extern const struct option option_table[];

enum { OPTION_VARIABLE_SIZE = 64 };

/* The default that depends on the host, in the option's range; for options with
 * compute() only. */
int64_t option_compute(const struct option *option);

/* Writes the name of the option's environment variable to `text`. */
void option_variable(const struct option *option,
                     char text[OPTION_VARIABLE_SIZE]);
