/* The table of all options: the command line, the environment, --help, the
 * manual and the completions (server/manual) are read and written from it. */
#pragma once

#include <stdio.h>

#include "server/config/option.h"

/* A name and its meaning. */
struct option_note {
    const char *name; /* NULL ends a list */
    const char *text;
};

extern const struct option option_table[];
extern const char *const option_groups[]; /* titles; ends with NULL */
extern const struct option_note option_signals[];
extern const struct option_note option_exit_codes[];

/* Variables of the environment that are no option's. */
extern const struct option_note option_variables[];

/* Most rows that the table may have. */
enum { OPTIONS_TABLE_ROWS = 64 };

/* How the table is written in one form: what begins a group, and one row. */
struct options_table_form {
    void (*group)(FILE *out, enum option_group group);
    void (*option)(FILE *out, const struct option *option);
};

/* Writes all groups with their rows. */
void options_table_write(FILE *out, const struct options_table_form *form);
