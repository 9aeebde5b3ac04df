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

const struct option *option_names_mistyped(const char *name, size_t len)
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
    return nearest;
}

const struct option *option_names_nearest(const char *name, size_t len)
{
    const struct option *nearest = option_names_mistyped(name, len);

    if (nearest || len < 2 || len > EDIT_DISTANCE_LONGEST)
        return nearest;
    return find_part(name, len);
}

/* "tcp://10.0.0.1:8000", "udp://[fd00::1]:53". */
static bool is_service_address(const char *value)
{
    const char *address = strstr(value, "://");
    const char *port = strrchr(value, ':');

    return address && port > address + 3 && port[1] != '\0' &&
           port[1 + strspn(port + 1, "0123456789")] == '\0' &&
           (strncmp(value, "tcp:", 4) == 0 || strncmp(value, "udp:", 4) == 0 ||
            strncmp(value, "sctp:", 5) == 0);
}

bool option_names_is_link(const char *variable, const char *value)
{
    static const char end[] = "_PORT";
    size_t len = strlen(variable);

    return len >= sizeof(end) - 1 &&
           strcmp(variable + len - (sizeof(end) - 1), end) == 0 &&
           is_service_address(value);
}

/* FLIPD_SERVICE_HOST, FLIPD_ADMIN_SERVICE_PORT_HTTP, FLIPD_PORT_8000_TCP_ADDR.
 */
static bool is_of_service(const char *variable)
{
    const char *port = strstr(variable, "_PORT_");

    return strstr(variable, "_SERVICE_HOST") ||
           strstr(variable, "_SERVICE_PORT") ||
           (port && isdigit((unsigned char)port[6]));
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
        bool known;

        if (strncmp(variable, prefix, PREFIX) != 0 || !value || !value[1])
            continue;
        snprintf(stray->name, sizeof(stray->name), "%.*s",
                 (int)(value - variable), variable);
        known = is_known(stray->name);
        stray->is_link = option_names_is_link(stray->name, value + 1);
        if (stray->is_link ? !known : known || is_of_service(stray->name))
            continue;
        find_nearest(stray);
        return true;
    }
    return false;
}
