/* The table behind options.h: private to options*.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_NUMBER,
    OPTION_FLAG,   /* a bool; takes a value only behind '=' */
    OPTION_TEXT,   /* any text that is not empty */
    OPTION_TEXTS,  /* the same, any number of times */
    OPTION_CHOICE, /* one of `choices`; the int64_t is its place */
    OPTION_ACTION, /* --help and the like: min is the enum options_action */
};

struct option {
    const char *name; /* without the dashes; NULL ends the table */
    enum option_kind kind;
    size_t offset;        /* in struct options */
    const char *fallback; /* as it would be typed; NULL: compute(),
                           * or, for a text, none */
    int64_t min, max;
    int64_t (*compute)(void);   /* default that depends on the machine */
    const char *computed;       /* what compute() gives, for people */
    const char *const *choices; /* ends with NULL */
    const char *unit;           /* "bytes", "seconds", or NULL */
    const char *help;
};

extern const struct option option_table[];

enum { OPTION_VARIABLE_SIZE = 64 };

/* Writes the name of the option's environment variable. */
void option_variable(const struct option *option,
                     char text[OPTION_VARIABLE_SIZE]);
