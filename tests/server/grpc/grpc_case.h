/* A server of tests/fuzz/world.h and one client of gRPC, for tests of what a
 * connection and its calls go through: the test says which bytes come, when a
 * worker works, and what time it is. Each turn also checks what holds in all
 * states. One thread. */
#pragma once

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/grpc/session.h"
#include "tests/fuzz/client.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/world.h"

#define CASE_INFER "/inference.GRPCInferenceService/ModelInfer"
#define CASE_STREAM "/inference.GRPCInferenceService/ModelStreamInfer"
#define CASE_WATCH "/grpc.health.v1.Health/Watch"
#define CASE_METADATA "/inference.GRPCInferenceService/ServerMetadata"
#define CASE_INDEX "/inference.GRPCInferenceService/RepositoryIndex"

enum {
    CASE_SMALL = 4, /* elements of a tensor */
    CASE_LARGE = 200000,
    CASE_PROTOCOL = 1, /* codes of HTTP/2 */
    CASE_FRAME_SIZE = 6,
    CASE_REFUSED = 7,
    CASE_CANCEL = 8,
    CASE_CALM = 11,
};

/* In the places of a call's and of a session's stage. */
enum {
    CASE_NONE = -1,    /* there is none, or it is closed */
    CASE_LINGERS = -2, /* our half of the connection is closed */
};

struct grpc_case {
    struct world *world;
    struct client client;
    struct frames frames;
};

extern struct grpc_case grpc_case;

/* Fixtures: a client whose preface has been read; and the end of all, after
 * which nothing may be left: no connection, no leased byte, no job. */
void grpc_case_start(void);
void grpc_case_end(void);

/* Another client, in the place of the first; its preface is still to be sent,
 * or is added to what it sends next. `narrow`: the kernel takes few bytes of
 * replies. */
void grpc_case_reconnect(bool narrow);
void grpc_case_reopen(bool narrow);

/* Options of the server. */
struct options *grpc_case_options(void);

/* Add to what the client sends next. */
void grpc_case_headers(uint32_t stream, const char *path, unsigned fields);
void grpc_case_half_headers(uint32_t stream, unsigned fields);
void grpc_case_rest_of_headers(void);
void grpc_case_reset(uint32_t stream);
void grpc_case_frame(enum frames_type type, unsigned flags, uint32_t stream,
                     const void *payload, size_t len);

/* The headers of a call with one more field, or another value of one; NULL:
 * without it. */
void grpc_case_field(uint32_t stream, const char *path, const char *name,
                     const char *value);

/* Bytes `from` to `to` of a message with its prefix, or to its end; an
 * inference of `count` elements. */
void grpc_case_part(uint32_t stream, size_t count, size_t from, size_t to);

/* A whole one, behind which the client may end. */
void grpc_case_message(uint32_t stream, size_t count, bool ends);
void grpc_case_half_close(uint32_t stream);

/* A whole call of a small inference. */
void grpc_case_call(uint32_t stream);

/* Sends what was added, and lets the loop turn until all is read. The client
 * receives nothing. */
void grpc_case_send(void);

/* Turns; then the client receives all, with turns in between. */
void grpc_case_receive(void);

/* A worker executes all jobs; the loop does not turn. */
void grpc_case_work(void);

/* Sends and receives; and with the work in between. */
void grpc_case_ask(void);
void grpc_case_answer(void);

/* Another client, narrow, which asks for an inference of `count` elements and
 * does not read the reply, where the kernel can do it. Without SO_BUF_LOCK,
 * which qemu lacks, a socket is given as much buffer as a reply is long, and
 * none of it stays in the output: false, and the test is to be skipped. */
bool grpc_case_leave_unread(uint32_t stream, size_t count);

/* Time passes, with turns. */
void grpc_case_wait(uint64_t ms);

/* The session of the client, NULL: it is gone; where a call and the connection
 * are. */
struct session *grpc_case_session(void);
int grpc_case_stage(uint32_t stream);
int grpc_case_link(void);

/* How many frames the client has received; and the code of the last GOAWAY, or
 * of the RST_STREAM of a stream; -1: there is none. */
int grpc_case_count(enum frames_type type);
int grpc_case_goaway(void);
int grpc_case_reset_code(uint32_t stream);

/* The stream of the last GOAWAY. */
uint32_t grpc_case_last_stream(void);

/* Acknowledges the last PING that the client has received. */
void grpc_case_acknowledge(void);

/* The reply's status in gRPC, -1: none yet; its status in HTTP; its messages,
 * and those that say that they are compressed. */
int grpc_case_code(uint32_t stream);
int grpc_case_status(uint32_t stream);
int grpc_case_messages(uint32_t stream);
int grpc_case_compressed(uint32_t stream);

/* Expects this in the "name: value\n" of the reply's headers and trailers, or
 * that it is not there; and these bytes of messages. */
void grpc_case_expect_field(uint32_t stream, const char *field, bool is_there);
void grpc_case_expect_data(uint32_t stream, const char *data, size_t len);

/* Expects the tensor of an inference of `count` elements, reversed. */
void grpc_case_expect_tensor(uint32_t stream, size_t count);

/* Expects that a call has ended, with this code behind so many messages. */
void grpc_case_expect_end(uint32_t stream, int code, int messages);

/* Requests that were counted; those of a status; and rejections. */
uint64_t grpc_case_requests(void);
uint64_t grpc_case_counted(int status);
uint64_t grpc_case_rejected(enum metrics_rejection reason);

/* Bytes that are leased. */
size_t grpc_case_leased(void);

/* Expects that a call on this connection is answered. */
void grpc_case_expect_service(uint32_t stream);
