/* Names that are no option's, and the option that was most likely meant. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "server/config/options_table.h"

/* The option whose name differs least from `name` of `len` bytes, in at most a
 * third of the letters; else the first one that begins with it, or contains it
 * as words; NULL when there is none. */
const struct option *option_names_nearest(const char *name, size_t len);

/* A variable of the environment that begins with FLIPD_ and is no option's. */
struct option_stray {
    char name[OPTION_VARIABLE_SIZE];    /* cut if it is longer */
    char nearest[OPTION_VARIABLE_SIZE]; /* variable that was meant, or "" */
};

/* Finds the next one in `environment`, from *at on, and advances *at; false
 * when there is no more. An empty variable counts as absent, and those that
 * Kubernetes makes for a service called flipd are left out. */
bool option_names_stray(char *const environment[], size_t *at,
                        struct option_stray *stray);
