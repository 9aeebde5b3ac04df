#include "server/headers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/coding.h"

/* The headers whose text is kept. */
static const struct wanted {
    const char *name;
    size_t offset;
} wanted[] = {
    {"Accept", offsetof(struct headers, accept)},
    {"Access-Control-Request-Headers", offsetof(struct headers, cors_headers)},
    {"Access-Control-Request-Method", offsetof(struct headers, cors_method)},
    {"Accept-Encoding", offsetof(struct headers, accept_encoding)},
    {"Content-Encoding", offsetof(struct headers, content_encoding)},
    {"Content-Type", offsetof(struct headers, content_type)},
    {"Expect", offsetof(struct headers, expect)},
    {"Inference-Header-Content-Length",
     offsetof(struct headers, inference_header)},
    {"Origin", offsetof(struct headers, origin)},
    {"X-Request-Id", offsetof(struct headers, request_id)},
};

/* 1..128 visible ASCII characters: safe in a header and in a log line. */
static bool is_sane_id(const char *id)
{
    size_t len = 0;

    for (; id[len]; len++)
        if (len == 128 || id[len] < '!' || id[len] > '~')
            return false;
    return len > 0;
}

static void keep(struct headers *headers, const struct wanted *header,
                 const char *value)
{
    const char **kept =
        (const char **)(void *)((char *)headers + header->offset);

    /* Two Accept lists are one list; which is taken does not matter. */
    if (*kept && kept != &headers->accept && kept != &headers->accept_encoding)
        headers->ambiguous = true;
    *kept = value;
}

static enum MHD_Result read_one(void *context, enum MHD_ValueKind kind,
                                const char *name, const char *value)
{
    struct headers *headers = context;

    (void)kind;
    if (!value)
        return MHD_YES;
    if (strcasecmp(name, "Content-Length") == 0) {
        headers->has_length = true;
        headers->content_length = strtoull(value, NULL, 10);
    } else if (strcasecmp(name, "Transfer-Encoding") == 0) {
        headers->chunked = true;
    }
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (strcasecmp(name, wanted[i].name) == 0)
            keep(headers, &wanted[i], value);
    return MHD_YES;
}

void headers_read(struct headers *headers, struct MHD_Connection *connection)
{
    *headers = (struct headers){.chunked = false};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, read_one, headers);
    if (headers->request_id && !is_sane_id(headers->request_id))
        headers->request_id = NULL;
}

bool headers_have_body(const struct headers *headers)
{
    return headers->chunked || headers->content_length > 0;
}

int headers_audit(const struct headers *headers, const char **text)
{
    enum coding coding;

    if (headers->ambiguous) {
        *text = "a header that may be given once was given twice";
        return 400;
    }
    if (headers->expect && strcasecmp(headers->expect, "100-continue") != 0) {
        *text = "the only expectation that can be met is 100-continue";
        return 417;
    }
    if (!coding_parse(headers->content_encoding, &coding)) {
        *text = "Content-Encoding must be one of gzip, deflate and identity";
        return 415;
    }
    return 0;
}
