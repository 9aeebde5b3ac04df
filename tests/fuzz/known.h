/* Requests whose answers are known: what a client asks that wants nothing but
 * an answer. They carry what WORLD_GUARDED wants to see. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tests/fuzz/replies.h"

enum { KNOWN_COUNT = 8, KNOWN_LIVE = 0 };

struct known {
    char *request; /* owned, as `end` */
    size_t len;
    char *end;      /* of the reply's body, inflated */
    size_t end_len; /* bytes */
    bool coded;     /* the reply is to be compressed */
};

/* Made by the first call. */
const struct known *known_get(int index);

/* Expects that the reply, a 200, is the answer. */
void known_check(const struct known *known, const struct reply *reply);
