/* States that a call can be brought to and left in, for tests of what happens
 * there. */
#pragma once

#include "tests/server/grpc/grpc_case.h"

enum call_state {
    OPENED,      /* its headers have begun */
    HEADERS,     /* no byte of a message has come */
    PREFIX,      /* a part of its prefix has */
    PART,        /* a part of it has */
    WHOLE,       /* it has, but the client may send more */
    QUEUED,      /* it waits for a worker */
    WORKED,      /* a worker has ended, of which the loop has not heard */
    REPLYING,    /* the client's window has taken a part of the reply */
    STREAM_PART, /* PART of a stream's first message */
    STREAM_IDLE, /* a stream between two messages */
    STREAM_QUEUED,
    STREAM_BACKLOG, /* others wait behind the message that is answered */
    STREAM_REPLYING,
    WATCHES,
    CALL_STATES, /* how many */
};

struct call_state_row {
    const char *path;
    int stage;         /* of enum call_stage */
    int late;          /* the code when the deadline passes there */
    unsigned requests; /* that are counted when the client leaves there */
};

extern const struct call_state_row call_states[CALL_STATES];

/* Brings a new call to the state, and expects its stage. */
void call_state_bring(enum call_state state, uint32_t stream, unsigned fields);

/* Adds the message of a WATCH to what the client sends next. */
void call_state_watch(uint32_t stream);

/* Lets the client receive the rest of a reply. */
void call_state_widen(uint32_t stream);

/* Sends what is missing of the call, and lets all of it be answered. */
void call_state_finish(enum call_state state, uint32_t stream);

/* Expects that the call is at this stage. */
void call_state_expect(uint32_t stream, int stage);
