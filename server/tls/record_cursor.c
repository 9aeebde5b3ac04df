#include "server/tls/record_cursor.h"

#include <string.h>

void record_cursor_advance(struct record_cursor *cursor, size_t len)
{
    cursor->skip += len;
    while (cursor->at < cursor->count &&
           cursor->skip >= cursor->parts[cursor->at].iov_len) {
        cursor->skip -= cursor->parts[cursor->at].iov_len;
        cursor->at++;
    }
}

/* Leaves `joined` as it is: clearing it would cost more than a small record. */
void record_cursor_init(struct record_cursor *cursor, const struct iovec *parts,
                        size_t count)
{
    cursor->parts = parts;
    cursor->count = count;
    cursor->at = cursor->skip = 0;
    record_cursor_advance(cursor, 0); /* past empty parts */
}

struct iovec record_cursor_next(struct record_cursor *cursor)
{
    const struct iovec *part = &cursor->parts[cursor->at];
    struct iovec record = {(char *)part->iov_base + cursor->skip,
                           part->iov_len - cursor->skip};
    size_t len = 0, skip = cursor->skip;

    if (record.iov_len >= TLS_RECORD_SIZE || cursor->at + 1 == cursor->count)
        return record;
    for (size_t i = cursor->at; i < cursor->count && len < TLS_RECORD_SIZE;
         i++) {
        size_t left = cursor->parts[i].iov_len - skip;
        size_t space = TLS_RECORD_SIZE - len;
        size_t size = left < space ? left : space;

        memcpy(cursor->joined + len, (char *)cursor->parts[i].iov_base + skip,
               size);
        len += size;
        skip = 0;
    }
    return (struct iovec){cursor->joined, len};
}
