#include "api/tensor_json/nesting.h"

#include <stdio.h>

#include "api/tensor_json/diagnose.h"

void nesting_init(struct nesting *nesting, const struct parser *p)
{
    int rank = p->array->shape.rank;

    *nesting = (struct nesting){0};
    nesting->max_level = (rank > 0 ? rank : 1) + (p->per_element == 2);
}

bool nesting_open(struct nesting *nesting, const struct parser *p,
                  const char *at)
{
    char shape[128];

    if (nesting->leaves > 0 && nesting->level == nesting->leaves)
        return diagnose_list(p, at);
    if (nesting->level == nesting->max_level) /* and no element was read */
        return status_fail(
            p->st, STATUS_INVALID,
            "data[0] of '%s' is nested more than %d deep, but its shape is %s",
            p->array->name, nesting->max_level,
            shape_print(&p->array->shape, shape, sizeof(shape)));
    nesting->level++;
    nesting->items[nesting->level] = 0;
    return true;
}

/* The indices of the innermost open list: "[1][0]". */
static void print_indices(const struct nesting *nesting, char *text,
                          size_t size)
{
    size_t len = 0;

    for (int level = 1; level < nesting->level && len < size; level++)
        len += (size_t)snprintf(text + len, size - len, "[%llu]",
                                (unsigned long long)nesting->items[level]);
}

static bool refuse_length(const struct nesting *nesting, const struct parser *p)
{
    int level = nesting->level;
    char indices[160] = "";

    print_indices(nesting, indices, sizeof(indices));
    return status_fail(p->st, STATUS_INVALID,
                       "data of '%s' is ragged: its list %s has length %llu, "
                       "but the first one of that level has %llu",
                       p->array->name, indices,
                       (unsigned long long)nesting->items[level],
                       (unsigned long long)nesting->extents[level]);
}

bool nesting_close(struct nesting *nesting, const struct parser *p)
{
    int level = nesting->level;

    if (!nesting->has_extent[level]) {
        nesting->has_extent[level] = true;
        nesting->extents[level] = nesting->items[level];
        if (level > nesting->levels)
            nesting->levels = level;
    }
    if (nesting->items[level] != nesting->extents[level])
        return refuse_length(nesting, p);
    nesting->level--;
    nesting->items[nesting->level]++;
    return true;
}

/* Whether the extents of `levels` levels are the dims of `shape`. Dims of 1 may
 * have no level, and no level follows a dim of 0. Matching each extent of 1
 * with the first dim of 1 finds a match if there is one. */
static bool matches(const uint64_t *extents, int levels,
                    const struct shape *shape)
{
    int level = 0;

    for (int axis = 0; axis < shape->rank; axis++) {
        uint64_t dim = (uint64_t)shape->dims[axis];

        if (level < levels && extents[level] == dim)
            level++;
        else if (dim != 1)
            return false;
        if (dim == 0)
            break;
    }
    return level == levels;
}

/* COMPLEX: pairs are a last level of 2, or double the last extent. */
static bool matches_complex(const uint64_t *extents, int levels,
                            const struct shape *shape)
{
    uint64_t halved[NESTING_LEVELS];
    uint64_t last = extents[levels - 1];

    if (last == 2 && matches(extents, levels - 1, shape))
        return true;
    if (last % 2 > 0)
        return false;
    for (int level = 0; level < levels; level++)
        halved[level] = extents[level];
    halved[levels - 1] = last / 2;
    return matches(halved, levels, shape);
}

/* A flat list of all elements, or of their pairs, fits every shape. */
static bool is_flat(const struct nesting *nesting, const struct parser *p)
{
    if (nesting->levels == 1)
        return true;
    return p->per_element == 2 && nesting->levels == 2 &&
           nesting->extents[2] == 2;
}

static const char *print_extents(const struct nesting *nesting, char *text,
                                 size_t size)
{
    size_t len = 0;

    for (int level = 1; level <= nesting->levels && len < size; level++)
        len += (size_t)snprintf(text + len, size - len, "%s%llu",
                                level > 1 ? ", " : "[",
                                (unsigned long long)nesting->extents[level]);
    if (len < size)
        snprintf(text + len, size - len, "]");
    return text;
}

static bool count_mismatch(const struct parser *p)
{
    char shape[128];
    bool whole = p->stream.tokens % p->per_element == 0;
    unsigned parts = whole ? p->per_element : 1;

    return status_fail(p->st, STATUS_INVALID,
                       "data of '%s' has %llu %s, but shape %s has %llu%s",
                       p->array->name,
                       (unsigned long long)(p->stream.tokens / parts),
                       whole ? "elements" : "numbers",
                       shape_print(&p->array->shape, shape, sizeof(shape)),
                       (unsigned long long)(p->token_limit / parts),
                       whole ? "" : ", two for each element");
}

bool nesting_fits(const struct nesting *nesting, const struct parser *p)
{
    const uint64_t *extents = nesting->extents + 1;
    const struct shape *shape = &p->array->shape;
    char text[128], wanted[128];

    if (p->stream.tokens != p->token_limit)
        return count_mismatch(p);
    if (is_flat(nesting, p) || matches(extents, nesting->levels, shape))
        return true;
    if (p->per_element == 2 && matches_complex(extents, nesting->levels, shape))
        return true;
    return status_fail(p->st, STATUS_INVALID,
                       "data of '%s' is nested as %s, but its shape is %s",
                       p->array->name,
                       print_extents(nesting, text, sizeof(text)),
                       shape_print(shape, wanted, sizeof(wanted)));
}
