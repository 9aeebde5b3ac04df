/* Line numbers of values in a JSON file, for the people who edit it. */
#pragma once

#include <stddef.h>

/* The line, from 1, of the value at `path` ("models[1].shape[0]"; "" is the
 * whole document), or of its entry `key` when that is not NULL. The text is
 * valid JSON that ends with a NUL. For a value that is missing: the line of the
 * object or array that would hold it. */
size_t line_of_value(const char *text, const char *path, const char *key);
