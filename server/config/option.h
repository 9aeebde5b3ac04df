/* One option: a row of the table of all options (options.h), the texts that
 * follow from it, and how its value is read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/status.h"

struct options;

/* What a number without a suffix counts. */
enum option_unit {
    OPTION_PLAIN, /* things: no suffix */
    OPTION_BYTES,
    OPTION_MILLISECONDS,
    OPTION_SECONDS,
};

enum option_kind {
    OPTION_NUMBER,
    OPTION_FLAG,   /* a bool; its value, if any, follows a '=' */
    OPTION_TEXT,   /* any text but the empty one */
    OPTION_TEXTS,  /* a text that may be given several times */
    OPTION_CHOICE, /* one of `choices`; the int64_t is its index */
    OPTION_ACTION, /* such as --help; `min` is the enum options_action */
};

/* In the order of their titles in options.c. */
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

enum {
    OPTION_VARIABLE_SIZE = 64,
    OPTION_VALUES_SIZE = 80,
    OPTION_NUMBER_SIZE = 32,
    /* Of a value or an argument in an error: a longer one is shortened. */
    OPTION_SHOWN_SIZE = 104,
};

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

/* Reads digits, and behind them a suffix of the unit: KiB, MiB, GiB, TiB, PiB;
 * ms, s, m, h. False for any other text, a blank included, and for what is no
 * whole number of the unit ("100ms" of seconds) or past 64 bits. */
bool option_number_parse(const char *text, enum option_unit unit,
                         int64_t *value);

/* Writes the shortest text that is read as `value`: "0", "64KiB", "24h".
 * Returns `text`. */
const char *option_number_print(int64_t value, enum option_unit unit,
                                char text[OPTION_NUMBER_SIZE]);

/* "bytes"; "" for a plain number. */
const char *option_number_unit(enum option_unit unit);

/* "KiB, MiB, GiB, TiB or PiB"; "" for a plain number. */
const char *option_number_suffixes(enum option_unit unit);

/* ", in bytes without a suffix", which goes behind a range; "" for a plain
 * number. */
const char *option_number_hint(enum option_unit unit);

/* All suffixes in one sentence, for --help. */
extern const char option_number_note[];

enum { OPTION_MAX_TEXTS = 16 };

/* The values of an option that may be given more than once. */
struct option_texts {
    int count;
    const char *all[OPTION_MAX_TEXTS]; /* borrowed, as all texts of options */
};

/* A value and its source, which error messages name. */
struct option_given {
    const char *source; /* "--http-port" or "FLIPD_HTTP_PORT" */
    const char *value;  /* for an action, which takes none, NULL */
};

/* `options` borrows the value. Fails with INVALID, whose text names the source,
 * the value and the values that are accepted. */
bool option_set(struct options *options, const struct option *option,
                const struct option_given *given, struct status *st);

/* The same with the default; nothing is set where there is none. */
bool option_set_default(struct options *options, const struct option *option,
                        struct status *st);
