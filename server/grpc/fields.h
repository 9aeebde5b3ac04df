/* The header fields of a reply, and its trailers. Loop thread only. */
#pragma once

#include <nghttp2/nghttp2.h>
#include <stddef.h>

#include "server/grpc/call.h"

enum { FIELDS_MOST = 10 };

/* Borrows texts of the call. Zeroed: no fields. */
struct fields {
    nghttp2_nv all[FIELDS_MOST];
    size_t count;
    char number[12]; /* made for a value */
};

/* Of a reply in gRPC, the status aside. */
void fields_add_head(struct fields *fields, struct call *call);

/* grpc-status and grpc-message. */
void fields_add_status(struct fields *fields, const struct call *call);

/* Of a reply to a client that does not speak gRPC. */
void fields_add_plain_head(struct fields *fields, const struct call *call);
