/* Small files, read whole. Any thread. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Reads at most `size` - 1 bytes, and ends them with a NUL. Returns how many,
 * or -1 with errno. */
ssize_t file_text_read(const char *path, char *text, size_t size);
