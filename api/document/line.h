/* Where in a JSON file a value stands, for people who edit it; private to
 * api/. */
#pragma once

#include <stddef.h>

/* The line, from 1, of the value at `path` ("models[1].shape[0]"; "" is the
 * whole document), or of its entry `key` when that is not NULL. The text is
 * valid JSON that ends with a NUL. What is not there has the line of what would
 * hold it. */
size_t json_line(const char *text, const char *path, const char *key);
