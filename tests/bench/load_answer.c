#include "tests/bench/load_answer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void start_body(struct load_answer *answer, size_t bytes)
{
    answer->left = answer->body_bytes = bytes;
    answer->state = bytes > 0 ? LOAD_ANSWER_IN_BODY : LOAD_ANSWER_WHOLE;
}

void load_answer_start(struct load_answer *answer, size_t echo_bytes)
{
    answer->head_len = 0;
    answer->body_bytes = 0;
    answer->state = LOAD_ANSWER_IN_HEAD;
    if (echo_bytes > 0)
        start_body(answer, echo_bytes);
}

static bool is_line(const char *line, const char *start)
{
    return strncasecmp(line, start, strlen(start)) == 0;
}

/* The head is whole and ends with a NUL. */
static bool read_head(struct load_answer *answer)
{
    const char *line = answer->head;

    if (strncmp(line, "HTTP/1.1 200", 12) != 0)
        return false;
    while ((line = strstr(line, "\r\n")) != NULL) {
        line += 2;
        if (is_line(line, "content-length:")) {
            start_body(answer, strtoul(line + 15, NULL, 10));
            return true;
        }
        if (is_line(line, "transfer-encoding: chunked")) {
            answer->state = LOAD_ANSWER_IN_SIZE;
            answer->left = 0;
            return true;
        }
    }
    return false;
}

/* These take bytes of what their state expects and return how many, or SIZE_MAX
 * when that is not what came. */

static size_t take_head(struct load_answer *answer, const char *data,
                        size_t len)
{
    size_t old = answer->head_len;
    size_t room = LOAD_ANSWER_HEAD - 1 - old;
    size_t more = len < room ? len : room;
    const char *end;

    memcpy(answer->head + old, data, more);
    answer->head[old + more] = '\0';
    answer->head_len = old + more;
    end = strstr(answer->head, "\r\n\r\n");
    if (!end)
        return more < room ? more : SIZE_MAX;
    answer->head_len = (size_t)(end - answer->head) + 4;
    return read_head(answer) ? answer->head_len - old : SIZE_MAX;
}

static size_t take_size(struct load_answer *answer, char c)
{
    if (isxdigit((unsigned char)c)) {
        const char digit[2] = {c, '\0'};

        answer->left = answer->left * 16 + strtoul(digit, NULL, 16);
    } else if (c == '\n') {
        answer->body_bytes += answer->left;
        answer->state =
            answer->left > 0 ? LOAD_ANSWER_IN_CHUNK : LOAD_ANSWER_IN_END;
        answer->left += 2; /* the line end that follows */
    } else if (c != '\r') {
        return SIZE_MAX; /* chunk extensions: nobody here sends any */
    }
    return 1;
}

static size_t take_bytes(struct load_answer *answer, size_t len)
{
    size_t taken = len < answer->left ? len : answer->left;

    answer->left -= taken;
    if (answer->left == 0)
        answer->state = answer->state == LOAD_ANSWER_IN_CHUNK
                            ? LOAD_ANSWER_IN_SIZE
                            : LOAD_ANSWER_WHOLE;
    return taken;
}

static size_t take(struct load_answer *answer, const char *data, size_t len)
{
    switch (answer->state) {
    case LOAD_ANSWER_IN_HEAD:
        return take_head(answer, data, len);
    case LOAD_ANSWER_IN_SIZE:
        return take_size(answer, *data);
    case LOAD_ANSWER_IN_BODY:
    case LOAD_ANSWER_IN_CHUNK:
    case LOAD_ANSWER_IN_END:
        return take_bytes(answer, len);
    case LOAD_ANSWER_WHOLE:
        break;
    }
    return SIZE_MAX;
}

bool load_answer_take(struct load_answer *answer, const char *data, size_t len)
{
    while (len > 0) {
        size_t taken = take(answer, data, len);

        if (taken == SIZE_MAX)
            return false;
        data += taken;
        len -= taken;
    }
    return true;
}
