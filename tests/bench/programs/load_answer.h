/* Reads the answers of a load: an HTTP/1.1 answer with a Content-Length or in
 * chunks, or, of an echo, as many bytes as were sent. The body is counted and
 * dropped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOAD_ANSWER_HEAD = 4096 };

enum load_answer_state {
    LOAD_ANSWER_IN_HEAD,
    LOAD_ANSWER_IN_BODY,
    LOAD_ANSWER_IN_SIZE,  /* the line before a chunk */
    LOAD_ANSWER_IN_CHUNK, /* or in the line end behind it */
    LOAD_ANSWER_IN_END,   /* the empty line behind the last chunk */
    LOAD_ANSWER_WHOLE,
};

struct load_answer {
    enum load_answer_state state;
    size_t left;       /* bytes to come of the body or chunk */
    size_t body_bytes; /* so far or, of a body with a length, in all */
    size_t head_len;   /* 0 of an echo */
    char head[LOAD_ANSWER_HEAD];
};

/* Starts an answer of HTTP, or with `echo_bytes` > 0 one of an echo. */
void load_answer_start(struct load_answer *job, size_t echo_bytes);

/* Takes what was received. False when it is no answer with status 200 whose end
 * can be told, or more than one; `answer->head` then tells what came. */
bool load_answer_take(struct load_answer *job, const char *data, size_t len);
