#include "server/config/option_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "kernels/core/edit_distance.h"

static const char prefix[] = "FLIPD_";

enum { PREFIX = sizeof(prefix) - 1 };

/* The word or words `name` are in `known`, which has '-' between its words. */
static bool has_words(const char *known, const char *name, size_t len)
{
    for (const char *at = known; (at = strchr(at, name[0])) != NULL; at++)
        if ((at == known || at[-1] == '-') && strncmp(at, name, len) == 0 &&
            (at[len] == '\0' || at[len] == '-'))
            return true;
    return false;
}

static const struct option *find_part(const char *name, size_t len)
{
    const struct option *part = NULL;

    for (const struct option *o = option_table; o->name; o++) {
        if (strncmp(o->name, name, len) == 0 ||
            (len > strlen(o->name) &&
             strncmp(o->name, name, strlen(o->name)) == 0))
            return o;
        if (!part && has_words(o->name, name, len))
            part = o;
    }
    return part;
}

const struct option *option_names_nearest(const char *name, size_t len)
{
    const struct option *nearest = NULL;
    int least = (int)(len / 3) + 1;

    if (len < 2 || len > EDIT_DISTANCE_LONGEST)
        return NULL;
    for (const struct option *o = option_table; o->name; o++) {
        int differs = edit_distance(name, len, o->name, strlen(o->name));

        if (differs >= least)
            continue;
        least = differs;
        nearest = o;
    }
    return nearest ? nearest : find_part(name, len);
}

/* FLIPD_SERVICE_HOST, FLIPD_PORT=tcp://..., FLIPD_PORT_8000_TCP and others. */
static bool is_service_link(const char *variable)
{
    const char *name = variable + PREFIX;

    return strncmp(name, "SERVICE_", 8) == 0 ||
           strncmp(name, "PORT_", 5) == 0 ||
           (strncmp(name, "PORT=", 5) == 0 && strstr(name, "://"));
}

static bool is_known(const char *variable)
{
    char own[OPTION_VARIABLE_SIZE];

    for (const struct option *o = option_table; o->name; o++) {
        option_variable(o, own);
        if (o->kind != OPTION_ACTION && strcmp(variable, own) == 0)
            return true;
    }
    for (const struct option_note *v = option_variables; v->name; v++)
        if (strcmp(variable, v->name) == 0)
            return true;
    return false;
}

/* The nearest option by its variable's name: FLIPD_HTTP_PROT. */
static void find_nearest(struct option_stray *stray)
{
    char name[OPTION_VARIABLE_SIZE];
    const struct option *nearest;

    snprintf(name, sizeof(name), "%s", stray->name + PREFIX);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
    nearest = option_names_nearest(name, strlen(name));
    stray->nearest[0] = '\0';
    if (nearest && nearest->kind != OPTION_ACTION)
        option_variable(nearest, stray->nearest);
}

bool option_names_stray(char *const environment[], size_t *at,
                        struct option_stray *stray)
{
    while (environment[*at]) {
        const char *variable = environment[(*at)++];
        const char *value = strchr(variable, '=');

        if (strncmp(variable, prefix, PREFIX) != 0 || !value || !value[1] ||
            is_service_link(variable))
            continue;
        snprintf(stray->name, sizeof(stray->name), "%.*s",
                 (int)(value - variable), variable);
        if (is_known(stray->name))
            continue;
        find_nearest(stray);
        return true;
    }
    return false;
}
