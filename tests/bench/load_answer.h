/* Reads the answers of a load: an HTTP/1.1 answer with a Content-Length, or, of
 * an echo, as many bytes as were sent. The body is counted and dropped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOAD_ANSWER_HEAD = 4096 };

struct load_answer {
    size_t head_len;   /* 0 of an echo */
    size_t body_left;  /* bytes still to come; valid once in_body */
    size_t body_bytes; /* of the whole body */
    bool in_body;
    char head[LOAD_ANSWER_HEAD];
};

/* Starts an answer of HTTP, or with `echo_bytes` > 0 one of an echo. */
void load_answer_start(struct load_answer *answer, size_t echo_bytes);

/* Takes what was received. False when it is no answer with status 200 and a
 * length, or more than one; `answer->head` then tells what came. */
bool load_answer_take(struct load_answer *answer, const char *data, size_t len);

bool load_answer_is_whole(const struct load_answer *answer);
