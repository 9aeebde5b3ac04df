/* Small files of text, read whole or not at all. Any thread. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "kernels/core/status.h"

/* Reads a file of at most `size` - 1 bytes and ends its text with a NUL.
 * Returns its length, or -1 with errno, EFBIG for a longer file; `text` is then
 * empty. */
ssize_t file_text_read(const char *path, char *text, size_t size);

/* The byte order mark in UTF-8. */
#define FILE_TEXT_MARK "\xEF\xBB\xBF"

/* Bytes that file_text_load() needs: the mark, a newline of two and a NUL. */
#define FILE_TEXT_ROOM(limit) ((limit) + 6)

/* Reads a file that an option names, of 1 to `limit` bytes without a
 * byte order mark in front and the newlines at its end, which are cut off, and
 * ends its text with a NUL. Returns its length, or -1: INVALID says what is
 * wrong with the file ("it has 5000 bytes, but the limit is 4096"), without its
 * path and contents. A NUL in it is wrong, as is UTF-16.
 * `text` has FILE_TEXT_ROOM(limit) bytes. */
ssize_t file_text_load(const char *path, char *text, size_t limit,
                       struct status *st);
