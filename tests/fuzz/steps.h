/* What happens between the bytes of an input's clients: a step is one byte, a
 * kind, and in the next 2 and 3 bits its client and its amount. One thread. */
#pragma once

#include <stdint.h>

#include "tests/fuzz/run.h"

/* Short inputs, for many of them: what needs more steps is reached by another
 * one too. */
enum { STEPS_MOST = 80 };

enum steps_kind {
    STEPS_SEND,
    STEPS_TURN,
    STEPS_RECEIVE, /* amount 0: the client stops reading; 1: it reads again */
    STEPS_END,     /* its half of the connection, or with an odd amount both */
    STEPS_WAIT,
    STEPS_WORK,
    STEPS_ASK,
    STEPS_EVENT,
};

void steps_take(struct run *run, uint8_t step);
