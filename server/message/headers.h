/* The head of a request: its line and its headers. Refuses headers that the
 * server cannot obey.
 *
 * libmicrohttpd 1.0.10 at discipline level 1 has refused, before we see a
 * request: more than one Host or Content-Length, a length that is not digits,
 * both framings at once, any transfer coding but one "chunked", and
 * Transfer-Encoding in HTTP/1.0. tests/integration shows each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/api.h"
#include "kernels/core/status.h"
#include "server/mhd/engine.h"

/* The line: method, path, query, and the route that they name. All zero: no
 * line yet. */
struct request_line {
    const char *method; /* borrowed until the request is completed; NULL until
                         * request_line_read() */
    const char *path;   /* the same: still percent-encoded, without the query */
    char *query;        /* owned; NULL: there is none */
    size_t query_size;  /* bytes of it on the heap */
    bool query_lost;    /* there is one, but no memory for it */
    struct api_route route;
};

/* Keeps the query of `uri`, the second word of the line. */
void request_line_open(struct request_line *line, const char *uri);

/* Sets method and path. Of a URL in the absolute form, "http://host/path", the
 * path is kept (RFC 9112, 3.2.2). */
void request_line_read(struct request_line *line, const char *method,
                       const char *url);

/* Frees the query and zeroes the line. */
void request_line_clear(struct request_line *line);

/* Texts are borrowed until the request is completed. */
struct headers {
    uint64_t content_length; /* 0 when absent */
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
    const char *traceparent;  /* not checked yet */
    const char *user_agent;
    const char *twice; /* the name of one that may be given once; NULL: none */
};

/* Reads the headers of the connection's current request. */
void headers_read(struct headers *headers,
                  struct engine_connection *connection);

/* True for 1..128 visible ASCII characters: safe in a header and in the log. */
bool headers_is_safe_id(const char *id);

/* True if a body follows the headers. */
static inline bool headers_have_body(const struct headers *headers)
{
    return headers->chunked || headers->content_length > 0;
}

/* The status of a request whose headers cannot be obeyed: 400, 415 or 417, and
 * the message of `st` says why. 0 if they can. */
int headers_audit(const struct headers *headers, struct status *st);

/* W3C Trace Context, level 1: the request header `traceparent`,
 *
 *     VERSION-TRACE_ID-PARENT_ID-FLAGS   2, 32, 16 and 2 lower-case hex digits
 *
 * flipd records no spans: the trace id, at byte TRACE_ID, stands in its log. */

enum { TRACE_ID = 3, TRACE_ID_DIGITS = 32, PARENT_ID_DIGITS = 16 };

/* False if the level says that the text is to be ignored. Of a version that is
 * not known yet, the fields of version 00 are read, and what follows them is
 * ignored. */
bool trace_context_is_valid(const char *traceparent);
