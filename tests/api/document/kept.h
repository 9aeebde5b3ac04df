/* Documents that the calling thread keeps, for the tests of that. */
#pragma once

#include <stdbool.h>

#include "api/document/cache.h"

#define KEPT_INPUT(data)                                                       \
    "{\"name\":\"a\",\"datatype\":\"INT8\",\"shape\":[2],\"data\":" data "}"

/* Reads a document, which keeps it; the test fails when it is refused. The
 * caller gets a hold. */
struct document *kept_read(const char *text);

/* The same for those who want it to be kept only. */
void kept_put(const char *text);

/* Whether the text is a kept document. */
bool kept_finds(const char *text);
