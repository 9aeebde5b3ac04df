#include "tests/bench/programs/load.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void start_body(struct load_answer *job, size_t bytes)
{
    job->left = job->body_bytes = bytes;
    job->state = bytes > 0 ? LOAD_ANSWER_IN_BODY : LOAD_ANSWER_WHOLE;
}

void load_answer_start(struct load_answer *job, size_t echo_bytes)
{
    job->head_len = 0;
    job->body_bytes = 0;
    job->state = LOAD_ANSWER_IN_HEAD;
    if (echo_bytes > 0)
        start_body(job, echo_bytes);
}

static bool is_line(const char *line, const char *start)
{
    return strncasecmp(line, start, strlen(start)) == 0;
}

/* The head is whole and ends with a NUL. */
static bool read_head(struct load_answer *job)
{
    const char *line = job->head;

    if (strncmp(line, "HTTP/1.1 200", 12) != 0)
        return false;
    while ((line = strstr(line, "\r\n")) != NULL) {
        line += 2;
        if (is_line(line, "content-length:")) {
            start_body(job, strtoul(line + 15, NULL, 10));
            return true;
        }
        if (is_line(line, "transfer-encoding: chunked")) {
            job->state = LOAD_ANSWER_IN_SIZE;
            job->left = 0;
            return true;
        }
    }
    return false;
}

/* These take bytes of what their state expects and return how many, or SIZE_MAX
 * when that is not what came. */

static size_t take_head(struct load_answer *job, const char *data, size_t len)
{
    size_t old = job->head_len;
    size_t room = LOAD_ANSWER_HEAD - 1 - old;
    size_t more = len < room ? len : room;
    const char *end;

    memcpy(job->head + old, data, more);
    job->head[old + more] = '\0';
    job->head_len = old + more;
    end = strstr(job->head, "\r\n\r\n");
    if (!end)
        return more < room ? more : SIZE_MAX;
    job->head_len = (size_t)(end - job->head) + 4;
    return read_head(job) ? job->head_len - old : SIZE_MAX;
}

static size_t take_size(struct load_answer *job, char c)
{
    if (isxdigit((unsigned char)c)) {
        const char digit[2] = {c, '\0'};

        job->left = job->left * 16 + strtoul(digit, NULL, 16);
    } else if (c == '\n') {
        job->body_bytes += job->left;
        job->state = job->left > 0 ? LOAD_ANSWER_IN_CHUNK : LOAD_ANSWER_IN_END;
        job->left += 2; /* the line end that follows */
    } else if (c != '\r') {
        return SIZE_MAX; /* chunk extensions: nobody here sends any */
    }
    return 1;
}

static size_t take_bytes(struct load_answer *job, size_t len)
{
    size_t taken = len < job->left ? len : job->left;

    job->left -= taken;
    if (job->left == 0)
        job->state = job->state == LOAD_ANSWER_IN_CHUNK ? LOAD_ANSWER_IN_SIZE
                                                        : LOAD_ANSWER_WHOLE;
    return taken;
}

static size_t take(struct load_answer *job, const char *data, size_t len)
{
    switch (job->state) {
    case LOAD_ANSWER_IN_HEAD:
        return take_head(job, data, len);
    case LOAD_ANSWER_IN_SIZE:
        return take_size(job, *data);
    case LOAD_ANSWER_IN_BODY:
    case LOAD_ANSWER_IN_CHUNK:
    case LOAD_ANSWER_IN_END:
        return take_bytes(job, len);
    case LOAD_ANSWER_WHOLE:
        break;
    }
    return SIZE_MAX;
}

bool load_answer_take(struct load_answer *job, const char *data, size_t len)
{
    while (len > 0) {
        size_t taken = take(job, data, len);

        if (taken == SIZE_MAX)
            return false;
        data += taken;
        len -= taken;
    }
    return true;
}
