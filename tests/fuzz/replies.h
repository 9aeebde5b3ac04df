/* What a client has received, as replies of HTTP/1.1. Each must be well formed:
 * a wrong one ends the process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct reply {
    int status;
    const char *head; /* from the status line to the empty line */
    size_t head_len;
    const char *body;
    size_t body_len; /* 0 for a reply to HEAD */
};

struct replies {
    const char *at;
    size_t left;
    bool may_lose; /* the last may be incomplete */
    bool may_head; /* a reply may lack its body, for it is one to HEAD */
};

/* Takes the next reply, checked; false at the end. "100 Continue" is skipped.
 */
bool replies_next(struct replies *replies, struct reply *reply);

/* The value of a header, `len` bytes; NULL when it is absent. Two are an
 * error. */
const char *reply_header(const struct reply *reply, const char *name,
                         size_t *len);
