/* The line that opens a request: method, path, query, and the route that they
 * name. */
#pragma once

#include <stdbool.h>

#include "api/api.h"

/* All zero: no line yet. */
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
