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
    size_t len = text ? strcspn(text, " \t") : 0;

    *coding = CODING_IDENTITY;
    return !text || (is_known(text, len, coding) &&
                     text[len + strspn(text + len, " \t")] == '\0');
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

/* What `wanted` weighs by its name or, without it, by '*'; and the place of
 * that in the list. */
static int find_weight(const char *accept, enum coding wanted, int *place)
{
    enum coding coding;
    struct element element;
    int weight = 0;

    for (int i = 0; (accept = next_element(accept, &element)); i++) {
        bool named =
            is_known(element.name, element.len, &coding) && coding == wanted;

        if (named || (element.len == 1 && *element.name == '*')) {
            weight = element.weight;
            *place = i;
        }
        if (named)
            break;
    }
    return weight;
}

static enum coding choose_best(const char *accept)
{
    int gzip_at = 0, deflate_at = 0;
    int gzip = find_weight(accept, CODING_GZIP, &gzip_at);
    int deflate = find_weight(accept, CODING_DEFLATE, &deflate_at);

    if (deflate > gzip || (deflate == gzip && deflate_at < gzip_at))
        return deflate > 0 ? CODING_DEFLATE : CODING_IDENTITY;
    return gzip > 0 ? CODING_GZIP : CODING_IDENTITY;
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
