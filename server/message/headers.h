/* Reads a request's headers, and refuses those that the server cannot obey.
 *
 * libmicrohttpd 1.0.10 at discipline level 1 has refused, before we see a
 * request: more than one Host or Content-Length, a length that is not digits,
 * both framings at once, any transfer coding but one "chunked", and
 * Transfer-Encoding in HTTP/1.0. tests/integration shows each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/mhd/engine.h"

/* Texts are borrowed until the request is completed. */
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
    const char *host;
    const char *fetch_site;   /* Sec-Fetch-Site; NULL also without an origin */
    const char *cors_method;  /* Access-Control-Request-Method */
    const char *cors_headers; /* Access-Control-Request-Headers; NULL also if it
                               * is no list of names */
    const char *request_id;   /* NULL also if it is no safe text */
    const char *traceparent;  /* NULL also if it is not valid */
    const char *user_agent;
    bool ambiguous; /* a header that may be given once was given twice */
};

/* Reads the headers of the connection's current request. */
void headers_read(struct headers *headers,
                  struct engine_connection *connection);

/* True for 1..128 visible ASCII characters: safe in a header and in a log line.
 */
bool headers_is_safe_id(const char *id);

/* Whether a body follows the headers. */
bool headers_have_body(const struct headers *headers);

/* The status of a request whose headers cannot be obeyed: 400, 415 or 417, and
 * `text` says why. 0 if they can. */
int headers_audit(const struct headers *headers, const char **text);
