#include "api/document/location.h"

#include <string.h>

#include "api/document/misplaced.h"
#include "api/document/near_name.h"

/* `text` has DOCUMENT_VALUE_SIZE bytes. */
static const char *type_of(const struct document_parameter *p, char *text)
{
    switch (p->kind) {
    case DOCUMENT_INT:
        return "an integer";
    case DOCUMENT_REAL:
        return document_parameter_print(p, text);
    case DOCUMENT_BOOL:
        return "a boolean";
    case DOCUMENT_TEXT:
        return "a string";
    case DOCUMENT_TEXT_LIST:
        return "an array";
    case DOCUMENT_OTHER:
        break;
    }
    return "no plain value";
}

static bool refuse(const struct document_parameter *p, const char *where,
                   const char *want, struct status *st)
{
    char text[DOCUMENT_VALUE_SIZE];

    return status_fail(st, STATUS_INVALID, "%s.%.40s is %s, but it must be %s",
                       where, p->key, type_of(p, text), want);
}

bool location_size(const struct document_parameter *p, const char *where,
                   uint64_t *size, struct status *st)
{
    char text[DOCUMENT_VALUE_SIZE];

    if (p->kind != DOCUMENT_INT)
        return refuse(p, where, "an integer from 0 to 2^63 - 1", st);
    *size = (uint64_t)p->integer;
    return p->integer >= 0 ||
           status_fail(st, STATUS_INVALID,
                       "%s.%s is %s, but it must be 0 or more", where, p->key,
                       document_parameter_print(p, text));
}

bool location_bool(const struct document_parameter *p, const char *where,
                   bool *flag, struct status *st)
{
    *flag = p->flag;
    return p->kind == DOCUMENT_BOOL || refuse(p, where, "a boolean", st);
}

static bool read_region(const struct document_parameter *p, const char *where,
                        struct document_region *region, struct status *st)
{
    region->name = p->text;
    return (p->kind == DOCUMENT_TEXT && *region->name) ||
           status_fail(st, STATUS_INVALID,
                       "%s.shared_memory_region must be a region's name",
                       where);
}

/* Ignores a key of the client's own; refuses one that was meant to change the
 * answer, here or elsewhere. */
static bool pass_unknown(const char *where, const char *key,
                         const struct location *location, struct status *st)
{
    const char *const known[] = {
        location->key, "shared_memory_region", "shared_memory_offset",
        "shared_memory_byte_size",
        location->is_input ? location->key : "classification"};
    bool refused = strncmp(key, "triton_", 7) == 0 ||
                   (!location->is_input && !strcmp(key, "classification"));

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        refused |= near_name(key, known[i]);
    if (!refused)
        return misplaced_pass(key, MISPLACED_TENSOR, where, st);
    return status_fail(st, STATUS_INVALID,
                       "%s.%.40s is unknown; known are %s, "
                       "shared_memory_region, shared_memory_offset, "
                       "shared_memory_byte_size",
                       where, key, location->key);
}

bool location_read(struct location *location, const char *where,
                   const struct document_parameter *p, struct status *st)
{
    if (strcmp(p->key, location->key) == 0) {
        location->value = *p;
        return true;
    }
    if (location->is_input && strcmp(p->key, "content_type") == 0) {
        location->is_numpy =
            p->kind == DOCUMENT_TEXT && strcmp(p->text, "np") == 0;
        return true;
    }
    if (strcmp(p->key, "shared_memory_region") == 0)
        return read_region(p, where, &location->region, st);
    if (strcmp(p->key, "shared_memory_offset") == 0) {
        location->has_offset = true;
        return location_size(p, where, &location->region.offset, st);
    }
    if (strcmp(p->key, "shared_memory_byte_size") == 0) {
        location->has_bytes = true;
        return location_size(p, where, &location->region.bytes, st);
    }
    return pass_unknown(where, p->key, location, st);
}

bool location_check(const struct location *location, const char *where,
                    struct status *st)
{
    if (!location->region.name && (location->has_offset || location->has_bytes))
        return status_fail(st, STATUS_INVALID,
                           "%s has shared_memory_%s without "
                           "shared_memory_region",
                           where, location->has_bytes ? "byte_size" : "offset");
    if (location->region.name && !location->has_bytes)
        return status_fail(st, STATUS_INVALID,
                           "%s has shared_memory_region without "
                           "shared_memory_byte_size",
                           where);
    return true;
}
