/* The formats of lines: text and JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "server/log/entry.h"

enum { LOG_LINE_SIZE = 4096 }; /* PIPE_BUF: a write up to it is not split */

/* Writes the line with its newline and returns its length. A field that does
 * not fit is left out; a value that does not fit is shortened. */
size_t log_format(char line[LOG_LINE_SIZE], bool json,
                  const struct log_entry *entry);
