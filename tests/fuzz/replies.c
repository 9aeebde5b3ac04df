#include "tests/fuzz/replies.h"

#include <ctype.h>
#include <jansson.h>
#include <strings.h>

#include "tests/fuzz/expect.h"

enum { MAX_LENGTH_DIGITS = 12 };

static const char start[] = "HTTP/1.1 ";

static bool is_known(int status)
{
    static const int known[] = {100, 200, 204, 400, 401, 403, 404, 405, 408,
                                413, 414, 415, 417, 431, 501, 503, 504, 505};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i] == status)
            return true;
    return false;
}

/* A line of `len` bytes without its end: "Name: value" of visible text. */
static void check_line(const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);

    EXPECT(colon && colon > line && colon + 1 < line + len && colon[1] == ' ');
    for (const char *at = line; at < colon; at++)
        EXPECT(isalnum((unsigned char)*at) || *at == '-');
    for (const char *at = colon; at < line + len; at++)
        EXPECT((unsigned char)*at >= ' ' && *at != 0x7f);
}

static void check_head(const struct reply *reply)
{
    const char *at = reply->head, *end = at + reply->head_len - 2, *line_end;

    for (bool first = true; at < end; first = false, at = line_end + 2) {
        line_end = memmem(at, (size_t)(end - at), "\r\n", 2);
        EXPECT(line_end && line_end > at);
        if (!first)
            check_line(at, (size_t)(line_end - at));
    }
}

const char *reply_header(const struct reply *reply, const char *name,
                         size_t *len)
{
    const char *end = reply->head + reply->head_len - 2, *found = NULL, *next;
    size_t name_len = strlen(name);

    for (const char *line = reply->head; line < end; line = next + 2) {
        next = memmem(line, (size_t)(end - line), "\r\n", 2);
        if ((size_t)(next - line) < name_len + 2 || line[name_len] != ':' ||
            strncasecmp(line, name, name_len) != 0)
            continue;
        EXPECT(!found);
        found = line + name_len + 2;
        *len = (size_t)(next - found);
    }
    return found;
}

static size_t read_length(const struct reply *reply)
{
    size_t digits = 0, length = 0;
    const char *text = reply_header(reply, "Content-Length", &digits);

    EXPECT((text != NULL) == (reply->status != 204 && reply->status != 100));
    EXPECT(digits <= MAX_LENGTH_DIGITS);
    for (size_t i = 0; i < digits; i++) {
        EXPECT(isdigit((unsigned char)text[i]));
        length = 10 * length + (size_t)(text[i] - '0');
    }
    return length;
}

/* The reply of a ready route of a service that drains: its own or a model's. */
static bool is_not_ready(const struct reply *reply)
{
    static const char end[] = "\"ready\":false}";
    size_t len = sizeof(end) - 1;

    return reply->status == 503 && reply->body_len >= len &&
           memcmp(reply->body + reply->body_len - len, end, len) == 0;
}

/* An error of the service is {"error": TEXT}; libmicrohttpd has its own. */
static void check_error(const struct reply *reply)
{
    size_t len = 0;
    const char *type = reply_header(reply, "Content-Type", &len);
    json_t *error;

    if (reply->status < 400 || reply->body_len == 0 || !type ||
        len != strlen("application/json") ||
        memcmp(type, "application/json", len) != 0 || is_not_ready(reply))
        return;
    error = json_loadb(reply->body, reply->body_len,
                       JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    EXPECT(json_object_size(error) == 1);
    EXPECT(json_string_length(json_object_get(error, "error")) > 0);
    json_decref(error);
}

static void check_fields(const struct reply *reply)
{
    size_t len = 0;

    EXPECT(is_known(reply->status));
    EXPECT(!reply_header(reply, "Transfer-Encoding", &len));
    EXPECT((reply->status == 405 || reply->status == 204) ==
           (reply_header(reply, "Allow", &len) != NULL));
    EXPECT((reply->status == 401) ==
           (reply_header(reply, "WWW-Authenticate", &len) != NULL));
    EXPECT(reply->status != 503 || reply_header(reply, "Retry-After", &len));
    check_error(reply);
}

/* The bytes up to the empty line. False: it is not there. */
static bool take_head(struct replies *replies, struct reply *reply)
{
    const char *end = memmem(replies->at, replies->left, "\r\n\r\n", 4);

    if (!end)
        return false;
    *reply = (struct reply){.head = replies->at,
                            .head_len = (size_t)(end + 4 - replies->at)};
    EXPECT(reply->head_len >= sizeof(start) + 4 &&
           memcmp(reply->head, start, sizeof(start) - 1) == 0);
    reply->status = atoi(reply->head + sizeof(start) - 1);
    check_head(reply);
    replies->at += reply->head_len;
    replies->left -= reply->head_len;
    return true;
}

/* True if no body follows, though the head announces one. */
static bool lacks_body(const struct replies *replies)
{
    return replies->may_head &&
           (replies->left == 0 ||
            (replies->left >= sizeof(start) - 1 &&
             memcmp(replies->at, start, sizeof(start) - 1) == 0));
}

static bool take_body(struct replies *replies, struct reply *reply)
{
    size_t len = read_length(reply);

    reply->body = replies->at;
    if (len == 0 || lacks_body(replies))
        return true;
    if (len > replies->left)
        return false;
    reply->body_len = len;
    replies->at += len;
    replies->left -= len;
    return true;
}

bool replies_next(struct replies *replies, struct reply *reply)
{
    do {
        if (replies->left == 0)
            return false;
        if (!take_head(replies, reply) || !take_body(replies, reply)) {
            EXPECT(replies->may_lose);
            replies->left = 0;
            return false;
        }
        if (reply->status != 100)
            check_fields(reply);
    } while (reply->status == 100);
    return true;
}
