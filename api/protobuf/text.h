/* Texts in messages. */
#pragma once

#include <string.h>

#include "api/protobuf/reader.h"

struct protobuf_text {
    const char *text; /* borrowed from the message, without a NUL behind it */
    size_t len;
};

/* Reads a field of text; the one before it, if any, is forgotten. Fails with
 * MALFORMED when it is not UTF-8; `where` is its name for errors. */
bool protobuf_text(const struct protobuf_field *field, const char *where,
                   struct protobuf_text *text, struct status *st);

/* The same for a text that may have no NUL: INVALID. */
bool protobuf_name(const struct protobuf_field *field, const char *where,
                   struct protobuf_text *text, struct status *st);

static inline bool protobuf_text_is(const struct protobuf_text *text,
                                    const char *wanted)
{
    return strlen(wanted) == text->len &&
           memcmp(text->text, wanted, text->len) == 0;
}
