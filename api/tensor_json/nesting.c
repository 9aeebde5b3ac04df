#include "api/tensor_json/nesting.h"

#include <stdio.h>

#include "api/tensor_json/diagnose.h"

void text_nest_init(struct text_nest *nest, const struct text_scan *s)
{
    int rank = s->a->shape.rank;

    *nest = (struct text_nest){0};
    nest->max_level = (rank > 0 ? rank : 1) + (s->per_element == 2);
}

bool text_nest_open(struct text_nest *nest, const struct text_scan *s,
                    const char *at)
{
    char shape[128];

    if (nest->leaves > 0 && nest->level == nest->leaves)
        return text_refuse_list(s, at);
    if (nest->level == nest->max_level)
        return status_fail(
            s->st, STATUS_INVALID,
            "data of '%s' is nested more than %d deep, but its shape is %s",
            s->a->name, nest->max_level,
            shape_print(&s->a->shape, shape, sizeof(shape)));
    nest->level++;
    nest->items[nest->level] = 0;
    return true;
}

bool text_nest_close(struct text_nest *nest, const struct text_scan *s,
                     const char *at)
{
    int level = nest->level;

    if (!nest->known[level]) {
        nest->known[level] = true;
        nest->extents[level] = nest->items[level];
        if (level > nest->levels)
            nest->levels = level;
    }
    if (nest->items[level] != nest->extents[level])
        return status_fail(
            s->st, STATUS_INVALID,
            "data of '%s' is ragged: the list that ends at byte %zu has length "
            "%llu, but the first one of its level has %llu",
            s->a->name, s->a->origin + (size_t)(at - s->a->text),
            (unsigned long long)nest->items[level],
            (unsigned long long)nest->extents[level]);
    nest->level--;
    nest->items[nest->level]++;
    return true;
}

/* Whether `levels` extents are the dims of `shape`, where dims of 1 may be
 * missing, and all that follows a dim of 0. Taking a 1 for a 1 never hurts. */
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

/* COMPLEX: pairs as a last level of 2, or a last level twice as long. */
static bool matches_complex(const uint64_t *extents, int levels,
                            const struct shape *shape)
{
    uint64_t halved[TEXT_NEST_LEVELS];
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

/* Right count, so a flat list fits, and so does a flat list of pairs. */
static bool is_flat(const struct text_nest *nest, const struct text_scan *s)
{
    if (nest->levels == 1)
        return true;
    return s->per_element == 2 && nest->levels == 2 && nest->extents[2] == 2;
}

static const char *print_extents(const struct text_nest *nest, char *text,
                                 size_t size)
{
    size_t len = 0;

    for (int level = 1; level <= nest->levels && len < size; level++)
        len += (size_t)snprintf(text + len, size - len, "%s%llu",
                                level > 1 ? ", " : "[",
                                (unsigned long long)nest->extents[level]);
    if (len < size)
        snprintf(text + len, size - len, "]");
    return text;
}

static bool refuse_count(const struct text_scan *s)
{
    char shape[128];
    bool whole = s->tokens % s->per_element == 0;
    unsigned parts = whole ? s->per_element : 1;

    return status_fail(s->st, STATUS_INVALID,
                       "data of '%s' has %llu %s, but shape %s has %llu%s",
                       s->a->name, (unsigned long long)(s->tokens / parts),
                       whole ? "elements" : "numbers",
                       shape_print(&s->a->shape, shape, sizeof(shape)),
                       (unsigned long long)(s->token_limit / parts),
                       whole ? "" : ", two for each element");
}

bool text_nest_fits(const struct text_nest *nest, const struct text_scan *s)
{
    const uint64_t *extents = nest->extents + 1;
    const struct shape *shape = &s->a->shape;
    char text[128], wanted[128];

    if (s->tokens != s->token_limit)
        return refuse_count(s);
    if (is_flat(nest, s) || matches(extents, nest->levels, shape))
        return true;
    if (s->per_element == 2 && matches_complex(extents, nest->levels, shape))
        return true;
    return status_fail(s->st, STATUS_INVALID,
                       "data of '%s' is nested as %s, but its shape is %s",
                       s->a->name, print_extents(nest, text, sizeof(text)),
                       shape_print(shape, wanted, sizeof(wanted)));
}
