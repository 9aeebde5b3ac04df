/* Bodies that are no JSON object: what they are instead, and what their sender
 * should do. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/status.h"

/* Bytes of the UTF-8 byte order mark that a text begins with, or 0. */
size_t foreign_mark(const char *text, size_t len);

/* True if the text is one of JSON that begins with '{', behind a mark and white
 * space. */
bool foreign_is_object(const char *text, size_t len);

/* Fails with INVALID for any other text, and says what it looks like. `name` is
 * what errors call it: "body". */
bool foreign_refuse(const char *name, const char *text, size_t len,
                    struct status *st);
