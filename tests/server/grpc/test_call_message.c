/* How the headers and messages of a call are read, what is leased for them, and
 * what the call's line says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/server/grpc/call_state.h"
#include "tests/unit.h"

enum { A = 1, B = 3, /* streams */ BODY_SECONDS = 4, MIB = 1 << 20 };

static FILE *file; /* the log */

static void set_up(void)
{
    grpc_case_start();
    file = tmpfile();
    ck_assert_ptr_nonnull(file);
    grpc_case.world->log.fd = fileno(file);
}

/* The last line of the log. */
static const char *last_line(void)
{
    static char line[LOG_LINE_SIZE];

    *line = '\0';
    rewind(file);
    while (fgets(line, sizeof(line), file))
        continue;
    return line;
}

static void expect_in_line(const char *text)
{
    ck_assert_msg(strstr(last_line(), text) != NULL, "%s", last_line());
}

#define TRACE "0af7651916cd43dd8448eb211c80319c"
#define HTTP(status) status, -1, status, false
#define FINE 200, API_GRPC_OK, 200, false
#define ACCEPTING 200, API_GRPC_OK, 200, true

/* A field of a call's headers: HTTP's status, gRPC's and that which is counted;
 * whether the reply says which encodings are accepted; one more field that the
 * reply has, and a part of the call's line. */
static const struct {
    const char *name, *value;
    int status, code, counted;
    bool accepts;
    const char *field, *line;
} heads[] = {
    {":method", "HEAD", HTTP(405), "allow: POST\n", " sent=0 "},
    {":method", "PUT", HTTP(405), "allow: POST\n", " is POST\""},
    {"content-type", NULL, HTTP(415), "/json\n", " sent="},
    {"content-type", "text/plain", HTTP(415), "/json\n", " speaks gRPC: "},
    {"content-type", "application/grpcx", HTTP(415), "", " speaks gRPC: "},
    {"content-type", "application/grpc+json", 200, API_GRPC_UNIMPLEMENTED, 415,
     true, "application/grpc\n", " in protobuf: "},
    {"content-type", "Application/gRPC+Proto", FINE, "application/grpc\n", ""},
    {"content-type", "application/grpc;x", FINE, "", ""},
    {"grpc-timeout", "1x", 200, API_GRPC_INTERNAL, 400, false,
     "grpc-message: grpc-timeout is '1x', but it must be 1 to 8 digits and a "
     "unit of H, M, S, m, u or n\n",
     " status=400 "},
    {"grpc-timeout", "01234567890123456789H", 200, API_GRPC_INTERNAL, 400,
     false, "grpc-message: grpc-timeout is '01234567890123456789', but",
     " status=400 "},
    {"grpc-encoding", "br", 200, API_GRPC_UNIMPLEMENTED, 415, true, "",
     " br, but must be identity, gzip or deflate"},
    {"grpc-encoding", "deflate", ACCEPTING, "", ""},
    {"grpc-encoding", "", FINE, "", ""},
    {"x-request-id", "r-1", FINE, "x-request-id: r-1\n", " id=r-1 "},
    {"x-request-id", "r 1", FINE, "", " id="},
    {"user-agent", "a", FINE, "", " user_agent=a\n"},
    {"traceparent", "00-" TRACE "-b7ad6b7169203331-01", FINE, "",
     " trace_id=" TRACE},
    {"te", "trailers", FINE, "",
     " method=gRPC path=" CASE_INFER " status=200 received=80 sent=53 us="},
};

/* A client that is not gRPC's has sent its request before it reads HTTP's
 * reply, which has a text and no status of gRPC. */
LOOP_TEST(a_call_is_answered_as_its_headers_say, COUNT(heads))
{
    const char *field = heads[_i].field;

    grpc_case_field(A, CASE_INFER, heads[_i].name, heads[_i].value);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_ask();
    ck_assert_int_eq(grpc_case_count(FRAMES_HEADERS),
                     heads[_i].code > API_GRPC_OK);
    grpc_case_half_close(A);
    grpc_case_answer();
    call_state_expect(A, CASE_NONE);
    ck_assert_int_eq(grpc_case_status(A), heads[_i].status);
    ck_assert_int_eq(grpc_case_code(A), heads[_i].code);
    ck_assert_uint_eq(grpc_case_counted(heads[_i].counted), 1);
    grpc_case_expect_field(A, "grpc-accept-encoding: identity,gzip,deflate\n",
                           heads[_i].accepts);
    grpc_case_expect_field(A, "grpc-encoding: ", false);
    grpc_case_expect_field(A, "allow", heads[_i].status == 405);
    grpc_case_expect_field(A, "x-request-id", *field == 'x');
    grpc_case_expect_field(A, field, true);
    expect_in_line(heads[_i].line);
}

#define CASE_LOG "/inference.GRPCInferenceService/LogSettings"
#define SET_LOG "\0\0\0\0\20\12\16\12\10log_info\22\2\10\0"

/* A call, where all routes are restricted or where they are not. */
static const struct {
    const char *path;
    unsigned fields;
    const char *message;
    size_t len;
    bool restricted;
    int code;
} allowed[] = {
    {CASE_INFER, 0, "", 0, true, API_GRPC_UNAUTHENTICATED},
    {CASE_INFER, FRAMES_KEYS, "\0\0\0\0", 5, true, API_GRPC_NOT_FOUND},
    {CASE_METADATA, 0, "", 0, true, API_GRPC_PERMISSION_DENIED},
    {CASE_METADATA, FRAMES_KEYS, "\0\0\0\0", 5, true, API_GRPC_OK},
    {CASE_LOG, 0, "\0\0\0\0", 5, false, API_GRPC_OK},
    {CASE_LOG, 0, SET_LOG, 21, false, API_GRPC_PERMISSION_DENIED},
};

/* By its headers and, where the message chooses what is done, by that. */
LOOP_TEST(a_call_is_restricted, COUNT(allowed))
{
    if (allowed[_i].restricted)
        grpc_case.world->service.route_auth =
            world_get(WORLD_GUARDED)->service.route_auth;
    grpc_case_headers(A, allowed[_i].path, allowed[_i].fields);
    if (allowed[_i].len > 0)
        grpc_case_frame(FRAMES_DATA, FRAMES_END_STREAM, A, allowed[_i].message,
                        allowed[_i].len);
    grpc_case_answer();
    ck_assert_int_eq(grpc_case_code(A), allowed[_i].code);
}

/* Clients accept gzip whether or not they want it. */
static const struct {
    int64_t policy;
    unsigned fields;
    int compressed;
    const char *path;
} codings[] = {
    {CODING_AUTO, FRAMES_ECHOES, 0, CASE_INFER},
    {CODING_AUTO, FRAMES_ECHOES | FRAMES_GZIP, 1, CASE_INFER},
    {CODING_AUTO, FRAMES_GZIP, 0, CASE_INFER},
    {CODING_ALWAYS, FRAMES_ECHOES, 1, CASE_INFER},
    {CODING_ALWAYS, FRAMES_ECHOES, 0, CASE_STREAM},
    {CODING_ALWAYS, FRAMES_ECHOES, 0, CASE_METADATA},
    {CODING_NEVER, FRAMES_ECHOES | FRAMES_GZIP, 0, CASE_INFER},
};

LOOP_TEST(a_reply_is_compressed_for_who_compresses, COUNT(codings))
{
    grpc_case_options()->http_response_compression = codings[_i].policy;
    grpc_case_headers(A, codings[_i].path, codings[_i].fields);
    grpc_case_message(A, 5000, true);
    grpc_case_answer();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    ck_assert_int_eq(grpc_case_messages(A), 1);
    ck_assert_int_eq(grpc_case_compressed(A), codings[_i].compressed);
    grpc_case_expect_field(A, "grpc-encoding: gzip\n", codings[_i].compressed);
}

/* What the fields of the first call take is a part of its connection. */
UNIT_TEST(long_fields_are_leased_but_those_of_the_first_call)
{
    static char value[5000];
    size_t before = grpc_case_leased(), first;

    memset(value, 'v', sizeof(value) - 1);
    grpc_case_field(A, CASE_STREAM, "long", value);
    grpc_case_send();
    ck_assert_uint_eq(grpc_case_leased(), before);
    grpc_case_field(B, CASE_STREAM, "short", "v");
    grpc_case_send();
    first = grpc_case_leased() - before;
    ck_assert_uint_gt(first, 0);
    grpc_case_field(B + 2, CASE_STREAM, "long", value);
    grpc_case_send();
    ck_assert_uint_gt(grpc_case_leased() - before,
                      2 * first + sizeof(value) - 1);
    call_state_expect(B + 2, CALL_RECEIVING);
    grpc_case.world->service.jobs.budget.limit = grpc_case_leased() + first;
    grpc_case_field(B + 4, CASE_STREAM, "long", value);
    grpc_case_ask();
    ck_assert_int_eq(grpc_case_code(B + 4), API_GRPC_UNAVAILABLE);
}

/* 10000 zeros, in a gzip stream; it is the message of any method. */
#define ZEROS                                                                  \
    "\001\000\000\000\055\037\213\010\000\000\000\000\000\002\377\355\301"     \
    "\001\015\000\000\000\302\240\367\117\155\016\067\240\000\000\000\000"     \
    "\000\000\000\000\000\340\337\000\056\312\073\115\020\047\000\000"

/* A message or its prefix, with an encoding or without, for which the limits of
 * HTTP and of gRPC are set. */
static const struct {
    const char *path;
    unsigned fields;
    int64_t http, grpc;
    const char *bytes;
    size_t len;
    int counted;
    const char *reason, *text;
} refused[] = {
    {CASE_INFER, 0, MIB, 100, "\0\0\0\0\145", 5, 413, "body_too_large",
     "the message has 101 bytes, but the limit is 100"},
    {CASE_INFER, 0, MIB, 0, "\0\0\20\0\1", 5, 413, "body_too_large",
     "but the limit is 1048576"},
    {CASE_INFER, 0, MIB, 2 * MIB, "\0\0\20\0\1", 5, 413, "body_too_large",
     "but the limit is 1048576"},
    {CASE_METADATA, 0, MIB, 0, "\0\0\1\0\1", 5, 413, "body_too_large",
     "but the limit is 65536"},
    {CASE_METADATA, 0, MIB, 100, "\0\0\0\0\145", 5, 413, "body_too_large",
     "but the limit is 100"},
    {CASE_INFER, FRAMES_GZIP, MIB, 100, ZEROS, 50, 413, "body_too_large",
     "more than the 100 bytes of grpc-max-message"},
    {CASE_METADATA, FRAMES_GZIP, MIB, 100, ZEROS, 50, 413, "body_too_large",
     "more than the 100 bytes of the limit of this route"},
    /* as much as no lease may have */
    {CASE_INFER, 0, 64 * MIB, 0, "\0\0\160\0\0", 5, 413, "inflight_bytes",
     "the message has 7340032 bytes, but the limit is 6356992"},
    {CASE_INFER, FRAMES_GZIP, MIB, 0, "\2\0\0\0\1", 5, 400, NULL,
     "the flag in front of a message must be 0 or 1: the flag is 2"},
    {CASE_INFER, 0, MIB, 0, "\1\0\0\0\1", 5, 400, NULL,
     "a message is compressed, but there is no grpc-encoding: the flag is 1"},
    {CASE_INFER, FRAMES_GZIP, MIB, 0, "\1\0\0\0\0", 5, 400, NULL,
     "a compressed message must have bytes: the flag is 1"},
    /* a message if it is taken as it is */
    {CASE_METADATA, FRAMES_GZIP, MIB, 0, "\1\0\0\0\2\10\1", 7, 400, NULL,
     "the gzip body "},
};

LOOP_TEST(a_message_is_refused, COUNT(refused))
{
    const char *reason = refused[_i].reason;

    grpc_case_options()->http_max_input_size = refused[_i].http;
    grpc_case_options()->grpc_max_message = refused[_i].grpc;
    grpc_case_headers(A, refused[_i].path, refused[_i].fields);
    grpc_case_frame(FRAMES_DATA, 0, A, refused[_i].bytes, refused[_i].len);
    if (refused[_i].len > FRAMES_PREFIX)
        grpc_case_half_close(A);
    grpc_case_answer();
    ck_assert_int_eq(grpc_case_code(A),
                     reason ? API_GRPC_RESOURCE_EXHAUSTED : API_GRPC_INTERNAL);
    ck_assert_uint_eq(grpc_case_counted(refused[_i].counted), 1);
    grpc_case_expect_field(A, refused[_i].text, true);
    expect_in_line(refused[_i].text);
    if (reason)
        expect_in_line(reason);
}

/* A large message is received where it will lie, its last bytes are not: a
 * recv() for a few bytes costs more than their copy. */
UNIT_TEST(a_large_message_is_received_in_its_place)
{
    struct stream *stream;
    size_t size = 1 << 20;

    grpc_case_headers(A, CASE_INFER, 0);
    grpc_case_part(A, CASE_LARGE, 0, 1000);
    grpc_case_send();
    stream = LIST_FIRST(&grpc_case_session()->streams);
    ck_assert_ptr_nonnull(session_place(stream, &size));
    ck_assert_uint_ge(size, CALL_DIRECT);
    size = CALL_DIRECT;
    ck_assert_ptr_nonnull(session_place(stream, &size));
    size = CALL_DIRECT - 1;
    ck_assert_ptr_null(session_place(stream, &size));
    grpc_case_part(A, CASE_LARGE, 1000, CASE_LARGE - CALL_DIRECT / 2);
    grpc_case_send();
    size = 1 << 20;
    ck_assert_ptr_null(session_place(stream, &size));
}

/* A number of the last line. */
static uint64_t number_of(const char *name)
{
    const char *at = strstr(last_line(), name);

    ck_assert_msg(at != NULL, "%s", last_line());
    return strtoull(at + strlen(name), NULL, 10);
}

/* A unary call has taken the time since its headers; a message of a stream that
 * since its first byte; and a fault behind answered messages as long as the
 * call. */
LOOP_TEST(a_line_has_the_time_that_was_taken, 2)
{
    bool is_stream = _i > 0;

    grpc_case_headers(A, is_stream ? CASE_STREAM : CASE_INFER, 0);
    grpc_case_send();
    grpc_case_wait(1000);
    grpc_case_message(A, CASE_SMALL, !is_stream);
    grpc_case_answer();
    ck_assert((number_of(" us=") >= 1000000) == !is_stream);
    ck_assert_uint_lt(number_of(" write_us="), 1000);
    if (!is_stream)
        return;
    grpc_case_wait(500);
    grpc_case_frame(FRAMES_DATA, 0, A, "\2\0\0\0", 5);
    grpc_case_ask();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_INTERNAL);
    expect_in_line(" status=400 ");
    ck_assert_uint_ge(number_of(" us="), 1500000);
    ck_assert_uint_lt(number_of(" us="), 1600000);
}

/* Milliseconds between the headers and a message, which waits for a worker. */
static const struct {
    const char *timeout;
    uint64_t ms;
} late[] = {{"1S", 600}, {"1n", 0}};

LOOP_TEST(a_message_has_the_rest_of_its_timeout, COUNT(late))
{
    grpc_case_field(A, CASE_STREAM, "grpc-timeout", late[_i].timeout);
    if (late[_i].ms > 0)
        grpc_case_send();
    grpc_case_wait(late[_i].ms);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_send();
    call_state_expect(A, CALL_RUNNING);
    grpc_case_wait(600);
    grpc_case_receive();
    grpc_case_expect_end(A, API_GRPC_DEADLINE_EXCEEDED, 1); /* an error */
}

/* Bytes in the output have not been sent yet: who takes them at the minimum
 * rate is not too slow. */
UNIT_TEST(a_client_that_reads_slowly_has_its_reply)
{
    enum { READ = 100 << 10, SECONDS = 7, ELEMENTS = 900000 };

    if (!grpc_case_leave_unread(A, CASE_SMALL)) /* asks the kernel */
        return;
    grpc_case_reopen(true);
    grpc_case_options()->body_timeout = BODY_SECONDS;
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_message(A, ELEMENTS, false);
    grpc_case_send();
    grpc_case_work();
    grpc_case_send();
    for (int i = 0; i < SECONDS; i++) {
        call_state_expect(A, CALL_SENDING);
        grpc_case_wait(1000);
        client_receive(&grpc_case.client, READ);
        grpc_case_send();
    }
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_messages(A), 1);
    call_state_expect(A, CALL_RECEIVING);
}

/* Others are refused for lack of memory. A call of which messages wait behind
 * the one that is answered holds some of it, and so does a large one. */
static const struct {
    size_t count; /* elements */
    bool waits, holds;
} holders[] = {
    {CASE_SMALL, false, false},
    {CASE_SMALL, true, true},
    {CASE_LARGE, false, true},
};

LOOP_TEST(waiting_messages_make_room_in_the_memory, COUNT(holders))
{
    bool holds = holders[_i].holds;

    grpc_case_frame(FRAMES_SETTINGS, 0, 0, "\0\4\0\0\0\0", 6);
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_message(A, holders[_i].count, false);
    if (holders[_i].waits)
        grpc_case_message(A, CASE_SMALL, false);
    grpc_case_answer();
    call_state_expect(A, CALL_SENDING);
    for (int i = 0; i < 10; i++) {
        atomic_store(&grpc_case.world->service.jobs.budget.refusals, 1);
        grpc_case_wait(500);
    }
    grpc_case_receive();
    call_state_expect(A, holds ? CASE_NONE : CALL_SENDING);
    ck_assert_int_eq(grpc_case_reset_code(A), holds ? CASE_CANCEL : -1);
}

FIXTURE(set_up, grpc_case_end)
