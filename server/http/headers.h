/* What a request's headers mean to the server.
 *
 * libmicrohttpd 1.0.10 at discipline level 1 has refused, before we see a
 * request: more than one Host or Content-Length, a length that is not digits,
 * both framings at once, any transfer coding but one "chunked", and
 * Transfer-Encoding in HTTP/1.0. tests/integration shows each. What is left
 * to audit is here. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/jobs/job.h"
#include "server/mhd/engine_connection.h"

/* Values are libmicrohttpd's and live until the request is completed. */
struct headers {
    uint64_t content_length; /* 0 when absent */
    bool has_length;
    bool chunked;
    const char *expect;
    const char *content_encoding;
    const char *content_type;
    const char *accept;
    const char *accept_encoding;
    const char *inference_header; /* Inference-Header-Content-Length */
    const char *origin;
    const char *cors_method;  /* Access-Control-Request-Method */
    const char *cors_headers; /* Access-Control-Request-Headers */
    const char *request_id;   /* NULL also when it is not a sane one */
    bool ambiguous;           /* one of the above was given twice */
};

void headers_read(struct headers *headers,
                  struct engine_connection *connection);

/* Whether a body follows the headers. */
bool headers_have_body(const struct headers *headers);

/* The status of a request that cannot be served as its headers ask: 400, 415,
 * 417, or 0 when they are fine. `text` says what is wrong. */
int headers_audit(const struct headers *headers, const char **text);
