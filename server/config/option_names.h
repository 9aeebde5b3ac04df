/* Names that are no option's, and the option that was most likely meant. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "server/config/options_table.h"

/* The option whose name differs least from `name` of `len` bytes, in at most a
 * third of the letters; NULL when there is none. */
const struct option *option_names_mistyped(const char *name, size_t len);

/* The same, or else the first option whose name begins with `name`, or contains
 * it as words. */
const struct option *option_names_nearest(const char *name, size_t len);

/* Kubernetes describes each service of a namespace to its containers, as
 * Docker's links did: a service called flipd-admin makes
 * FLIPD_ADMIN_PORT=tcp://10.0.0.1:8002, FLIPD_ADMIN_SERVICE_HOST and more. True
 * for a variable that ends with _PORT and has such an address: it counts as
 * absent. */
bool option_names_is_link(const char *variable, const char *value);

/* A variable of the environment that begins with FLIPD_ and sets no option. */
struct option_stray {
    char name[OPTION_VARIABLE_SIZE];    /* cut if it is longer */
    char nearest[OPTION_VARIABLE_SIZE]; /* variable that was meant, or "" */
    bool is_link; /* an option's, but its value describes a service */
};

/* Finds the next one in `environment`, from *at on, and advances *at; false
 * when there is no more. An empty variable counts as absent, and those of a
 * service that are no option's are left out. */
bool option_names_stray(char *const environment[], size_t *at,
                        struct option_stray *stray);
