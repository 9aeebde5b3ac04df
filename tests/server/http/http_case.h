/* A server of tests/fuzz/world.h and clients of HTTP/1, for tests of what ends
 * a connection, what its client is told, and what is counted: the test says
 * which bytes come, when a worker works, and what time it is. One thread. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "server/conn/connection_list.h"
#include "tests/fuzz/client.h"
#include "tests/fuzz/world.h"

#define HEAD "Host: f\r\n\r\n"
#define CASE_METADATA "GET /v2 HTTP/1.1\r\n" HEAD
#define CASE_HALF "GET /v2 HTTP/1.1\r\nHost:"
#define CASE_POST                                                              \
    "POST /v2/models/onnx.ReverseSequence/infer HTTP/1.1\r\nHost: f\r\n"
#define DOCUMENT                                                               \
    "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"UINT8\",\"shape\":[2,1]," \
    "\"data\":[1,2]},{\"name\":\"sequence_lens\",\"datatype\":\"INT64\","      \
    "\"shape\":[1],\"data\":[2]}]}"

#define CASE_INFER CASE_POST "Content-Length: 142\r\n\r\n" DOCUMENT

static_assert(sizeof(DOCUMENT) - 1 == 142, "its length is sent");

enum {
    CASE_CLIENTS = 8, /* the connections of each world */
    CASE_TICK_MS = 100,
    CASE_INFER_BODY = 142, /* bytes */
    CASE_LARGE = 120000,   /* elements of a tensor */
};

struct http_case {
    struct world *world;
    struct client clients[CASE_CLIENTS];
};

extern struct http_case http_case;

/* Fixtures; after a test nothing may be left: no connection, no leased byte, no
 * job. */
void http_case_set_up(void);
void http_case_tear_down(void);

/* Takes the place of a server of WORLD_OPEN, before a client connects. */
void http_case_start(enum world_kind kind);

/* Connects a client; `narrow`: the kernel holds few bytes of its replies, and
 * the server does not change that. */
void http_case_connect(int i, bool narrow);

/* Sends without a turn of the loop, and with turns behind it; and with turns in
 * between, as much as the socket takes at a time. */
void http_case_send(int i, const char *text);
void http_case_say(int i, const char *text);
void http_case_send_all(int i, const char *text);

/* Sends requests, one after the other, and reads none of their replies: the
 * kernel holds more than it may for a connection that has ended. */
void http_case_leave_unread(int i);

void http_case_ask(int i, const char *text);

/* An inference of `count` elements; the text ends with the next call. */
const char *http_case_infer(int count);

/* What the client has received since the last call, up to 64 KiB; the text ends
 * with the next one. */
const char *http_case_receive(int i);

/* The text has each of the parts, between which '|' stands, and none behind
 * '!'.
 */
void http_case_has(const char *text, const char *parts);
void http_case_gets(int i, const char *parts); /* what it receives */

/* Receives as long as the server sends more; the bytes stay. */
void http_case_receive_all(int i);

/* Whether the server has closed the connection: 0 or 1. */
int http_case_has_ended(int i);

void http_case_turn(void);

/* Workers execute all jobs that wait, before a turn. */
void http_case_work(void);

void http_case_wait(uint64_t ms);

/* Rejections for this reason since the start. */
uint64_t http_case_rejected(enum metrics_rejection reason);

/* Requests of this process that have ended with the status. */
uint64_t http_case_count(int status);

/* The first line of the log with `part`, "" if there is none; the log begins
 * anew. */
const char *http_case_line(const char *part);

/* Connections that count against the limit; and those in a stage. */
size_t http_case_open(void);
int http_case_in_stage(enum connection_stage stage);
