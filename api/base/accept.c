#include "api/base/accept.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

/* Reads a weight such as "0.5", in thousandths. */
static int read_weight(const char *at, const char *end)
{
    int weight = 0, unit = 1000;

    for (; at < end && (*at == '.' || (*at >= '0' && *at <= '9')); at++) {
        if (*at == '.')
            continue;
        weight += (*at - '0') * unit;
        unit /= 10;
    }
    return weight;
}

/* The weight given by the parameter q, or 1000. `at` is at the ';' before the
 * first parameter, or at `end`. */
static int find_weight(const char *at, const char *end)
{
    while (at < end) {
        at++;
        at += strspn(at, " \t");
        if (*at == 'q' || *at == 'Q') {
            at++;
            at += strspn(at, " \t");
            if (*at == '=')
                return read_weight(at + 1 + strspn(at + 1, " \t"), end);
        }
        at += strcspn(at, ",;");
    }
    return 1000;
}

const char *accept_next(const char *list, struct accept_entry *entry)
{
    const char *end;

    list += strspn(list, ", \t");
    if (!*list)
        return NULL;
    end = list + strcspn(list, ",");
    entry->name = list;
    entry->len = strcspn(list, ",; \t");
    list += strcspn(list, ",;");
    entry->weight = find_weight(list, end);
    return end;
}

bool accept_is(const struct accept_entry *entry, const char *name)
{
    return strlen(name) == entry->len &&
           strncasecmp(name, entry->name, entry->len) == 0;
}

static bool is_any(const struct accept_entry *entry, const char *const *names)
{
    while (*names && !accept_is(entry, *names))
        names++;
    return *names != NULL;
}

int accept_weight(const char *list, const char *const *names,
                  const char *const *patterns, int *index)
{
    struct accept_entry entry;
    int weight = 0;

    *index = INT_MAX;
    for (int i = 0; (list = accept_next(list, &entry)); i++) {
        if (is_any(&entry, names)) {
            *index = i;
            return entry.weight;
        }
        if (is_any(&entry, patterns))
            weight = entry.weight;
    }
    return weight;
}
