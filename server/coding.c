#include "server/coding.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    enum coding coding;
} names[] = {
    {"gzip", CODING_GZIP},
    {"x-gzip", CODING_GZIP},
    {"deflate", CODING_DEFLATE},
    {"identity", CODING_IDENTITY},
};

/* An element of a comma-separated list, with its weight in thousandths. */
struct element {
    const char *name;
    size_t len;
    int weight;
};

static bool is_known(const char *name, size_t len, enum coding *coding)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strlen(names[i].name) != len ||
            strncasecmp(names[i].name, name, len) != 0)
            continue;
        *coding = names[i].coding;
        return true;
    }
    return false;
}

bool coding_parse(const char *text, enum coding *coding)
{
    *coding = CODING_IDENTITY;
    return !text || is_known(text, strcspn(text, " \t"), coding);
}

/* "q=0.5": digits after the point count from the left. */
static int read_weight(const char *text, size_t len)
{
    const char *at = memchr(text, '=', len);
    const char *end = text + len;
    int weight = 0, unit = 1000;

    if (!at)
        return 1000;
    for (at++;
         at < end && (*at == ' ' || *at == '.' || (*at >= '0' && *at <= '9'));
         at++) {
        if (*at == ' ' || *at == '.')
            continue;
        weight += (*at - '0') * unit;
        unit /= 10;
    }
    return weight;
}

/* The next element of the list, or NULL at its end. */
static const char *next_element(const char *at, struct element *element)
{
    const char *end;

    at += strspn(at, ", \t");
    if (!*at)
        return NULL;
    end = at + strcspn(at, ",");
    element->name = at;
    element->len = strcspn(at, ",; \t");
    at += strcspn(at, ",;");
    element->weight = *at == ';' ? read_weight(at, (size_t)(end - at)) : 1000;
    return end;
}

static enum coding choose_only(const char *accept)
{
    enum coding coding, only = CODING_IDENTITY;
    struct element element;
    int named = 0;

    while ((accept = next_element(accept, &element))) {
        bool known = is_known(element.name, element.len, &coding);

        if (element.weight == 0 || (known && coding == CODING_IDENTITY))
            continue;
        named++;
        only = known ? coding : CODING_IDENTITY;
    }
    return named == 1 ? only : CODING_IDENTITY;
}

static enum coding choose_best(const char *accept)
{
    enum coding coding, best = CODING_IDENTITY;
    struct element element;
    int weight = 0;

    while ((accept = next_element(accept, &element))) {
        if (element.len == 1 && *element.name == '*')
            coding = CODING_GZIP;
        else if (!is_known(element.name, element.len, &coding))
            continue;
        if (coding == CODING_IDENTITY || element.weight <= weight)
            continue;
        best = coding;
        weight = element.weight;
    }
    return best;
}

enum coding coding_choose(const char *accept, enum coding_policy policy)
{
    if (!accept || policy == CODING_NEVER)
        return CODING_IDENTITY;
    return policy == CODING_AUTO ? choose_only(accept) : choose_best(accept);
}

const char *coding_name(enum coding coding)
{
    switch (coding) {
    case CODING_GZIP:
        return "gzip";
    case CODING_DEFLATE:
        return "deflate";
    case CODING_IDENTITY:
        break;
    }
    return NULL;
}
