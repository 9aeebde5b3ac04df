#include "tests/bench/load_answer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void load_answer_start(struct load_answer *answer, size_t echo_bytes)
{
    answer->head_len = 0;
    answer->body_left = answer->body_bytes = echo_bytes;
    answer->in_body = echo_bytes > 0;
}

bool load_answer_is_whole(const struct load_answer *answer)
{
    return answer->in_body && answer->body_left == 0;
}

/* The head ends with an empty line and a NUL. */
static bool read_head(struct load_answer *answer)
{
    const char *line = answer->head;

    if (strncmp(line, "HTTP/1.1 200", 12) != 0)
        return false;
    while ((line = strstr(line, "\r\n")) != NULL) {
        line += 2;
        if (strncasecmp(line, "content-length:", 15) != 0)
            continue;
        answer->body_bytes = strtoul(line + 15, NULL, 10);
        answer->body_left = answer->body_bytes;
        answer->in_body = true;
        return true;
    }
    return false;
}

/* Takes bytes up to the end of the head and returns how many; SIZE_MAX when
 * the head is not to be had. */
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
        return more < room ? len : SIZE_MAX;
    answer->head_len = (size_t)(end - answer->head) + 4;
    if (!read_head(answer))
        return SIZE_MAX;
    return answer->head_len - old;
}

bool load_answer_take(struct load_answer *answer, const char *data, size_t len)
{
    if (!answer->in_body) {
        size_t taken = take_head(answer, data, len);

        if (taken == SIZE_MAX)
            return false;
        len -= taken;
    }
    if (len > 0 && len > answer->body_left)
        return false;
    answer->body_left -= len;
    return true;
}
