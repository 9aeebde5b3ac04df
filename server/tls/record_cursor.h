/* Cuts the parts of a message into the texts of TLS records: a large part is
 * sent from where it lies, small ones are joined. */
#pragma once

#include <stddef.h>

#include "server/mhd/socket_io.h"

enum { TLS_RECORD_SIZE = 16 << 10 }; /* most bytes of a record */

struct record_cursor {
    const struct iovec *parts;    /* borrowed */
    size_t count, at;             /* at == count: all parts were sent */
    size_t skip;                  /* bytes of parts[at] that were sent */
    char joined[TLS_RECORD_SIZE]; /* small parts as one record */
};

void record_cursor_init(struct record_cursor *cursor, const struct iovec *parts,
                        size_t count);

/* The text of the next record, in a part or in cursor->joined. Only while
 * at < count. After a full socket OpenSSL wants the same text again: the caller
 * starts anew with the same parts behind what was sent. */
struct iovec record_cursor_next(struct record_cursor *cursor);

/* `len` bytes more were sent. */
void record_cursor_advance(struct record_cursor *cursor, size_t len);
