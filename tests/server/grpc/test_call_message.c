/* How the headers and messages of a call are read, what is leased for them, and
 * what the call's line says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/grpc_replies.h"
#include "tests/server/grpc/call_state.h"
#include "tests/unit.h"

enum { A = 1, B = 3, /* streams */ BLOCK = 16 << 10, BODY_SECONDS = 4 };

static FILE *file; /* the log */

static void set_up(void)
{
    grpc_case_start();
    file = tmpfile();
    ck_assert_ptr_nonnull(file);
    grpc_case.world->log.fd = fileno(file);
}

static void tear_down(void)
{
    fclose(file);
    grpc_case_end();
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

struct block {
    char data[BLOCK];
    size_t len;
};

/* A text of HPACK, whose length is a byte, or 127 and more. */
static void add_text(struct block *block, const char *text)
{
    size_t len = strlen(text), rest = len;

    ck_assert_uint_le(block->len + len + 4, BLOCK);
    block->data[block->len++] = (char)(len < 127 ? len : 127);
    for (rest -= len < 127 ? len : 127; len > 127; rest >>= 7) {
        block->data[block->len++] =
            (char)(rest < 128 ? rest : (rest & 127) | 128);
        if (rest < 128)
            break;
    }
    memcpy(block->data + block->len, text, len);
    block->len += len;
}

static void add_field(struct block *block, const char *name, const char *value)
{
    block->data[block->len++] = 0;
    add_text(block, name);
    add_text(block, value);
}

/* The headers of a call with one more field. */
static void add_headers(uint32_t stream, const char *path, const char *name,
                        const char *value)
{
    static struct block block;

    block.len = 0;
    add_field(&block, ":method", "POST");
    add_field(&block, ":scheme", "http");
    add_field(&block, ":path", path);
    add_field(&block, ":authority", "f");
    add_field(&block, "content-type", "application/grpc");
    add_field(&block, name, value);
    grpc_case_frame(FRAMES_HEADERS, FRAMES_END_HEADERS, stream, block.data,
                    block.len);
}

/* The flag in front of the reply's first message. */
static int flag_of(uint32_t stream)
{
    struct grpc_replies replies = grpc_replies_read(&grpc_case.client);
    const struct grpc_reply *reply = grpc_replies_find(&replies, stream);
    int flag = reply && reply->len > 0 ? reply->data[0] : -1;

    grpc_replies_free(&replies);
    return flag;
}

/* Clients accept gzip whether or not they want it. */
static const struct {
    int64_t policy;
    unsigned fields;
    int flag;
} codings[] = {
    {CODING_AUTO, FRAMES_ECHOES, 0},
    {CODING_AUTO, FRAMES_ECHOES | FRAMES_GZIP, 1},
    {CODING_AUTO, FRAMES_GZIP, 0},
    {CODING_ALWAYS, FRAMES_ECHOES, 1},
    {CODING_NEVER, FRAMES_ECHOES | FRAMES_GZIP, 0},
};

LOOP_TEST(a_reply_is_compressed_for_who_compresses, COUNT(codings))
{
    grpc_case_options()->http_response_compression = codings[_i].policy;
    grpc_case_headers(A, CASE_INFER, codings[_i].fields);
    grpc_case_message(A, 5000, true);
    grpc_case_send();
    grpc_case_work();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
    ck_assert_int_eq(flag_of(A), codings[_i].flag);
}

UNIT_TEST(an_encoding_without_a_name_is_none)
{
    add_headers(A, CASE_INFER, "grpc-encoding", "");
    grpc_case_message(A, CASE_SMALL, true);
    grpc_case_send();
    grpc_case_work();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_OK);
}

static size_t leased(void)
{
    return atomic_load(&grpc_case.world->service.jobs.budget.leased);
}

/* What the fields of the first call take is a part of its connection. */
UNIT_TEST(long_fields_are_leased_but_those_of_the_first_call)
{
    static char value[5000];
    size_t before = leased(), first;

    memset(value, 'v', sizeof(value) - 1);
    add_headers(A, CASE_STREAM, "long", value);
    grpc_case_send();
    ck_assert_uint_eq(leased(), before);
    add_headers(B, CASE_STREAM, "short", "v");
    grpc_case_send();
    first = leased() - before;
    ck_assert_uint_gt(first, 0);
    add_headers(B + 2, CASE_STREAM, "long", value);
    grpc_case_send();
    ck_assert_uint_gt(leased() - before, 2 * first + sizeof(value) - 1);
    call_state_expect(B + 2, CASE_RECEIVING);
}

/* A message of 101 bytes; and 10000 zeros, in a gzip stream. */
static const struct {
    const char *bytes;
    size_t len;
    const char *text;
} too_long[] = {
    {"\0\0\0\0\145", 5, "the message has 101 bytes, but the limit is 100"},
    {"\001\000\000\000\055\037\213\010\000\000\000\000\000\002\377\355\301"
     "\001\015\000\000\000\302\240\367\117\155\016\067\240\000\000\000\000"
     "\000\000\000\000\000\340\337\000\056\312\073\115\020\047\000\000",
     50, "more than the 100 bytes of grpc-max-message"},
};

LOOP_TEST(the_limit_of_a_message_is_named, COUNT(too_long))
{
    grpc_case_options()->grpc_max_message = 100;
    grpc_case_headers(A, CASE_INFER, FRAMES_GZIP);
    grpc_case_frame(FRAMES_DATA, FRAMES_END_STREAM, A, too_long[_i].bytes,
                    too_long[_i].len);
    grpc_case_send();
    grpc_case_work();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_RESOURCE_EXHAUSTED);
    expect_in_line(too_long[_i].text);
    expect_in_line(" reason=body_too_large ");
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

/* A fault behind answered messages has taken as long as the call. */
UNIT_TEST(a_fault_behind_a_message_has_the_time_of_the_call)
{
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_send();
    grpc_case_wait(1000);
    grpc_case_message(A, CASE_SMALL, false);
    grpc_case_send();
    grpc_case_work();
    grpc_case_receive();
    grpc_case_wait(500);
    grpc_case_frame(FRAMES_DATA, 0, A, "\2\0\0\0", 5);
    grpc_case_send();
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_code(A), API_GRPC_INTERNAL);
    expect_in_line(" status=400 ");
    ck_assert_uint_ge(number_of(" us="), 1500000);
    ck_assert_uint_lt(number_of(" us="), 1600000);
}

/* Bytes in the output have not been sent yet: who takes them at the minimum
 * rate is not too slow. */
UNIT_TEST(a_client_that_reads_slowly_has_its_reply)
{
    enum { READ = 100 << 10, SECONDS = 7, ELEMENTS = 900000 };

    if (!grpc_case_leave_unread(A, CASE_SMALL)) /* asks the kernel */
        return;
    grpc_case_reconnect(true);
    grpc_case_options()->body_timeout = BODY_SECONDS;
    frames_open(&grpc_case.frames);
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_message(A, ELEMENTS, false);
    grpc_case_send();
    grpc_case_work();
    grpc_case_send();
    for (int i = 0; i < SECONDS; i++) {
        call_state_expect(A, CASE_SENDING);
        grpc_case_wait(1000);
        client_receive(&grpc_case.client, READ);
        grpc_case_send();
    }
    grpc_case_receive();
    ck_assert_int_eq(grpc_case_messages(A), 1);
    call_state_expect(A, CASE_RECEIVING);
}

/* Others are refused for lack of memory. A call of which messages wait behind
 * the one that is answered holds some of it. */
LOOP_TEST(waiting_messages_make_room_in_the_memory, 2)
{
    bool waits = _i > 0;

    grpc_case_frame(FRAMES_SETTINGS, 0, 0, "\0\4\0\0\0\0", 6);
    grpc_case_headers(A, CASE_STREAM, 0);
    grpc_case_message(A, CASE_SMALL, false);
    if (waits)
        grpc_case_message(A, CASE_SMALL, false);
    grpc_case_send();
    grpc_case_work();
    grpc_case_receive();
    call_state_expect(A, CASE_SENDING);
    for (int i = 0; i < 10; i++) {
        atomic_store(&grpc_case.world->service.jobs.budget.refusals, 1);
        grpc_case_wait(500);
    }
    grpc_case_receive();
    call_state_expect(A, waits ? CASE_NONE : CASE_SENDING);
    ck_assert_int_eq(grpc_case_reset_code(A), waits ? CASE_CANCEL : -1);
}

FIXTURE(set_up, tear_down)
