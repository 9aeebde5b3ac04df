/* The limit of each kind of line, so that one kind that repeats at every
 * request neither fills the log nor hides the others. A kind is a level and a
 * message. No clock, no lock of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    LOG_LIMIT_PER_SECOND = 20, /* lines of one kind */
    LOG_LIMIT_KINDS = 40,      /* the last one is shared by all further ones */
    LOG_LIMIT_NAME = 48,       /* bytes of a message that are compared */
};

struct log_kind {
    char message[LOG_LIMIT_NAME]; /* with its NUL; longer ones are cut */
    int level;
    int64_t second;     /* that in_second counts */
    int in_second;      /* lines written in that second */
    uint64_t held_back; /* lines left out and not yet reported */
};

/* Zeroed: no line yet. */
struct log_limit {
    int count;
    struct log_kind kinds[LOG_LIMIT_KINDS];
};

/* True if a line of this kind may be written in this second; else it is counted
 * as held back. */
bool log_limit_admit(struct log_limit *limit, int level, const char *message,
                     int64_t second);

/* Takes the count of a kind that was held back before `second` into *kind;
 * false when there is none. */
bool log_limit_report(struct log_limit *limit, int64_t second,
                      struct log_kind *kind);
